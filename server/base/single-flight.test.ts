import { expect, test } from 'vitest'
import { singleFlight } from './single-flight.ts'

/** Questions as they were put, each answered by hand. */
function createOracle() {
  const asked: PromiseWithResolvers<string>[] = []
  const ask = singleFlight(() => {
    const question = Promise.withResolvers<string>()
    asked.push(question)
    return question.promise
  })
  return { ask, asked }
}

test('DELIVERY-2 a question under way answers nobody who asks later: these share the next one', async () => {
  const { ask, asked } = createOracle()
  const first = ask()
  await expect.poll(() => asked.length).toBe(1)
  const later = [ask(), ask(), ask()]
  asked[0]?.resolve('old')
  expect(await first).toBe('old')
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.resolve('new')
  expect(await Promise.all(later)).toStrictEqual(['new', 'new', 'new'])
  expect(asked).toHaveLength(2)
})

test('DELIVERY-2 a question that fails is told to those who asked it, and the next one is put', async () => {
  const { ask, asked } = createOracle()
  const first = ask()
  await expect.poll(() => asked.length).toBe(1)
  const second = ask()
  asked[0]?.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.resolve('back')
  expect(await second).toBe('back')
})
