import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Transport } from 'engine.io'
import { expect, test } from 'vitest'
import { networksOf } from '../../limits/addresses.ts'
import { networkTurnMs } from '../../limits/input-turns.ts'
import { createClosingTurns } from './closing-turns.ts'

const closed: string[] = []

class TestTransport {
  readonly name = 'polling'
  readonly req: { destroyed: boolean }
  readonly #id: string
  constructor(id: string, isDestroyed: boolean) {
    this.#id = id
    this.req = { destroyed: isDestroyed }
  }
  onError(_reason: string): void {
    const startedMs = performance.now()
    while (this.#id === 'costly' && performance.now() - startedMs < networkTurnMs);
    closed.push(this.#id)
  }
}

test('SECURITY-3 lost polling connections of a network are removed in turns; an error of an open one closes it at once', async () => {
  const closeInTurns = createClosingTurns(() => networksOf('198.51.100.1'))
  const open = (id: string, isDestroyed: boolean) => {
    const transport = new TestTransport(id, isDestroyed)
    closeInTurns(transport as unknown as Transport)
    return transport
  }
  for (const id of ['costly', 'a', 'b']) open(id, true).onError('poll connection closed prematurely')
  open('c', false).onError('too many packets')
  expect(closed).toStrictEqual(['costly', 'c'])
  await nextTurn()
  await nextTurn()
  expect(closed).toStrictEqual(['costly', 'c', 'a', 'b'])
})
