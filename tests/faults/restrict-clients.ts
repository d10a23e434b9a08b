import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { adminCommand } from '../support/admin-command.ts'
import type { HistoryEvent } from './history.ts'
import { createRandom } from './random.ts'
import { filteredWord, type Restriction } from './restrictions.ts'

/** Client with the address from which it connects. */
interface AddressedClient {
  name: string
  address: string
}

interface RestrictOptions {
  seed: number
  /** Admin sockets of all nodes. */
  adminSockets: readonly string[]
  clients: () => readonly AddressedClient[]
  record: (event: HistoryEvent) => void
  /** Signal that aborts the run. After the abort, there may be no running node to undo a restriction. */
  signal: AbortSignal
}

const durationMs = { min: 500, max: 4_000 }
const pauseMs = { min: 200, max: 1_500 }
/** Timeout of an undo on one node. A node that is stopped does not respond, so the undo is repeated on a random node. */
const undoTimeoutMs = 3_000
const retryMs = 100

/**
 * Command that turns off all rules of a run except the filtered word. The command also makes the node load the
 * restrictions again.
 */
const allRulesOff = ['rules', 'set', 'slow-mode=off', 'links=on', 'read-only=off']
const commands: Record<Exclude<Restriction['rule'], 'mute' | 'ban' | 'accounts-only'>, string[]> = {
  'read-only': ['rules', 'set', 'read-only=on'],
  'links-off': ['rules', 'set', 'links=off'],
  'slow-mode': ['rules', 'set', 'slow-mode=1'],
  word: ['words', 'add', filteredWord],
}
/**
 * Restrictions and rules of a run. Mutes and bans occur twice as often as rules. `accounts-only` is left out: all clients
 * are anonymous, so this rule would have the same effect as `read-only`.
 */
const rules: Exclude<Restriction['rule'], 'accounts-only'>[] = ['mute', 'mute', 'ban', 'ban', ...keysOf(commands)]

/** Mutes and bans clients and sets rules during a run, one after the other, and undoes each of them. */
export function startRestricting({ seed, adminSockets, clients, record, signal }: RestrictOptions) {
  const random = createRandom(`restrictions ${seed}`)
  const nextRule = random.drawFrom(rules)
  const stopping = new AbortController()
  const aborted = once(signal, 'abort')
  const tally = new Map<string, number>()
  let count = 0

  /** Returns the result of a command; `null` if the command failed or its result is unknown. */
  async function run(socket: string, words: readonly string[]): Promise<unknown> {
    const result = await adminCommand(socket, [...words, '--json']).catch(() => null)
    return result?.exitCode === 0 ? (JSON.parse(result.stdout) as unknown) : null
  }

  const rest = ({ min, max }: { min: number; max: number }) =>
    pause(random.whole(min, max), undefined, { signal: stopping.signal }).catch(() => undefined)

  async function restrictOnce(): Promise<void> {
    const rule = nextRule()
    const client = random.pick(clients())
    const isOfClient = rule === 'mute' || rule === 'ban'
    const id = `restriction-${++count}`
    record({ type: 'restricting', id, rule, ...(isOfClient && { client: client.name }) })
    const words = isOfClient ? [rule, '--network', client.address, '--loopback'] : commands[rule]
    const requested = run(random.pick(adminSockets), words).then((result) => {
      if (result === null) return
      record({ type: 'restricted', id })
      tally.set(rule, (tally.get(rule) ?? 0) + 1)
    })
    await rest(durationMs)
    record({ type: 'lifting', id })
    // A stopped node may perform the request after it resumes.
    await Promise.race([requested, aborted])
    while (!signal.aborted) {
      if (await undoAll(random.pick(adminSockets))) return record({ type: 'lifted', id })
      await pause(retryMs)
    }
  }

  /**
   * Undoes all rules, words and restrictions through one node. Returns whether all commands succeeded before the
   * timeout.
   */
  async function undoAll(socket: string): Promise<boolean> {
    const undo = async () => {
      if ((await run(socket, allRulesOff)) === null) return false
      const words = (await run(socket, ['words', 'list'])) as { words: unknown[] } | null
      if (words === null || (words.words.length > 0 && (await run(socket, ['words', 'remove', filteredWord])) === null))
        return false
      const listed = (await run(socket, ['restrictions', 'list'])) as { restrictions: { id: string; kind: string }[] }
      if (listed === null) return false
      for (const { id, kind } of listed.restrictions) if ((await run(socket, [`un${kind}`, id])) === null) return false
      return true
    }
    return Promise.race([undo(), pause(undoTimeoutMs, false, { ref: false })])
  }

  async function restrictUntilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      await restrictOnce()
      await rest(pauseMs)
    }
  }
  const running = restrictUntilStopped()

  return {
    /** Returns the number of acknowledged restrictions and rules, by kind. */
    tally: () => Object.fromEntries(tally),
    async stop(): Promise<void> {
      stopping.abort()
      await running
    },
  }
}

function keysOf<Key extends string>(record: Record<Key, unknown>): Key[] {
  return Object.keys(record) as Key[]
}
