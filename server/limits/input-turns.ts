import { type Networks, widestNetwork } from './addresses.ts'

/**
 * Time that the inputs of one network may take in a turn of the event loop, before its other inputs wait for the next
 * turn.
 */
export const networkTurnMs = 4

interface InputHandlers<Input> {
  handle: (input: Input) => void
  /** Callback that runs before an input waits. */
  onWait: (input: Input) => void
  /** Callback that runs after `handle` of an input that waited. */
  onWaited: (input: Input) => void
}

/**
 * Spreads the inputs of a network over several turns of the event loop. Many connections of one network can each send
 * an input at the same moment. No single input is costly, but together they would delay the messages of all other
 * clients. Inputs of loopback never wait.
 */
export function createInputTurns<Input>(
  { handle, onWait, onWaited }: InputHandlers<Input>,
  now: () => number = () => performance.now(),
  schedule: (nextTurn: () => void) => void = setImmediate,
) {
  /** Time that the inputs of each network have taken in this turn. */
  const usedMs = new Map<string, number>()
  const waiting = new Map<string, Input[]>()
  let isScheduled = false

  const hasTime = (key: string) => (usedMs.get(key) ?? 0) < networkTurnMs

  function scheduleNextTurn(): void {
    if (isScheduled) return
    isScheduled = true
    schedule(nextTurn)
  }

  function nextTurn(): void {
    isScheduled = false
    usedMs.clear()
    if (waiting.size > 0) scheduleNextTurn()
    for (const [key, inputs] of waiting) handleWaiting(key, inputs)
  }

  function handleWaiting(key: string, inputs: Input[]): void {
    let count = 0
    for (const input of inputs) {
      if (!hasTime(key)) break
      count++
      measure(key, input)
      onWaited(input)
    }
    inputs.splice(0, count)
    if (inputs.length === 0) waiting.delete(key)
  }

  function measure(key: string, input: Input): void {
    const startedMs = now()
    handle(input)
    usedMs.set(key, (usedMs.get(key) ?? 0) + now() - startedMs)
  }

  return {
    /** Handles an input now, or in a later turn if its network has used up the time of this turn. Inputs of a network stay in order. */
    take(networks: Networks | null, input: Input): void {
      if (networks === null) return handle(input)
      const key = widestNetwork(networks)
      scheduleNextTurn()
      // If the network has time left, none of its inputs waits: each turn first handles the inputs that wait.
      if (hasTime(key)) return measure(key, input)
      onWait(input)
      const inputs = waiting.get(key)
      if (inputs === undefined) waiting.set(key, [input])
      else inputs.push(input)
    },
  }
}
