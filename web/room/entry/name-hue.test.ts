import { expect, test } from 'vitest'
import { nameHue } from './name-hue.ts'

test('READING-9 a name always has the same hue, and names use all hues', () => {
  const hues = new Map<number, number>()
  for (let index = 0; index < 2_400; index++) {
    const hue = nameHue(`visitor ${index}`)
    expect(hue).toBe(nameHue(`visitor ${index}`))
    hues.set(hue, (hues.get(hue) ?? 0) + 1)
  }
  expect(hues.size).toBe(24)
  expect(Math.min(...hues.values())).toBeGreaterThan(50)
  expect(Math.max(...hues.keys())).toBeLessThan(360)
})
