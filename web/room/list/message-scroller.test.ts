import { expect, test, vi } from 'vitest'

test('SPEED-6 the code of the list, which loads in advance, does not use `Intl` before the first message', async () => {
  const createFormat = vi.spyOn(Intl, 'DateTimeFormat')
  await import('./message-scroller.tsx')
  expect(createFormat).not.toHaveBeenCalled()
})
