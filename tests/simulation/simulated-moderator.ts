import type { ModeratorAction, RoomRules } from '../../contract/moderation.ts'
import type { OperatorAction } from '../../server/moderation/moderation-actions.ts'
import type { HistoryEvent } from '../faults/history.ts'
import { filteredWord, type Restriction } from '../faults/restrictions.ts'
import type { FakeDatabase } from './fake-database.ts'
import type { VirtualTime } from './virtual-time.ts'

const minDurationMs = 500
const attemptMs = 3_000
const slowModeSeconds = 1

type Action = ModeratorAction | OperatorAction
type RuleKind = Exclude<Restriction['rule'], 'mute' | 'ban'>

/** Server on which a moderator acts. */
interface ModeratedServer {
  isAlive: () => boolean
  perform: (action: Action) => Promise<unknown>
  revoke: (token: string) => Promise<unknown>
}

interface SimulatedModeratorOptions {
  time: VirtualTime
  database: FakeDatabase
  /** Returns the server of a node; `null` if it is not running. */
  serverOf: (node: number) => ModeratedServer | null
  record: (event: HistoryEvent) => void
}

interface RestrictStep {
  rule: Restriction['rule']
  /** Client to which a mute or ban applies. */
  target: { name: string; network: string }
  node: number
  durationMs: number
}

/** Settings of the room that turn on each kind of rule. */
const rulesOf: Record<Exclude<RuleKind, 'word'>, Partial<RoomRules>> = {
  'read-only': { readOnly: true },
  'accounts-only': { accountsOnly: true },
  'links-off': { linksOff: true },
  'slow-mode': { slowModeSeconds },
}

/**
 * Creates a moderator that restricts clients, sets rules and revokes logins. It repeats each undo until the undo has
 * taken effect.
 */
export function createSimulatedModerator({ time, database, serverOf, record }: SimulatedModeratorOptions) {
  let [count, unfinished] = [0, 0]
  const sleep = (ms: number) => new Promise<false>((resolve) => void time.after(ms, () => resolve(false)))

  /** Starts a request on a node. The request is over when its promise is settled or its server has crashed. */
  function request(node: number, work: (server: ModeratedServer) => Promise<unknown>) {
    const server = serverOf(node)
    let isSettled = server === null
    const onSettled = (isDone: boolean) => {
      isSettled = true
      return isDone
    }
    const done =
      server === null
        ? sleep(attemptMs)
        : work(server).then(
            () => onSettled(true),
            () => onSettled(false),
          )
    return { done, isOver: () => isSettled || server?.isAlive() === false }
  }

  /**
   * Returns the action that undoes a restriction. If nothing is left to undo, the action publishes the change again.
   */
  function undoOf({ id, rule }: Restriction): Action {
    if (rule === 'mute' || rule === 'ban') {
      const stored = database.restrictions().find(({ reason }) => reason === id)
      return stored === undefined ? { type: 'set-rules', rules: {} } : { type: 'end-restriction', id: stored.id }
    }
    if (rule === 'word') return { type: 'remove-word', word: filteredWord }
    return { type: 'set-rules', rules: offRules(rule) }
  }

  function isUndone({ id, rule }: Restriction): boolean {
    if (rule === 'mute' || rule === 'ban') return !database.restrictions().some(({ reason }) => reason === id)
    if (rule === 'word') return database.words().length === 0
    const rules: Partial<RoomRules> = database.rules()
    return Object.entries(offRules(rule)).every(([name, value]) => rules[name as keyof RoomRules] === value)
  }

  async function restrict({ rule, target, node, durationMs }: RestrictStep): Promise<void> {
    unfinished++
    const id = `restriction-${++count}`
    const isOfClient = rule === 'mute' || rule === 'ban'
    const restriction: Restriction = { id, rule, ...(isOfClient && { client: target.name }) }
    record({ type: 'restricting', ...restriction })
    const first = request(node, (server) => server.perform(actionOf(restriction, target.network)))
    void first.done.then((isDone) => {
      if (isDone) record({ type: 'restricted', id })
    })
    await sleep(minDurationMs + durationMs)
    record({ type: 'lifting', id })
    for (let turn = node; ; turn++) {
      const undo = request(turn, (server) => server.perform(undoOf(restriction)))
      const isDone = await Promise.race([undo.done, sleep(attemptMs)])
      // A request on a paused node may take effect later than its undo.
      if (isDone && first.isOver() && isUndone(restriction)) break
    }
    record({ type: 'lifted', id })
    unfinished--
  }

  async function revoke(token: string, node: number): Promise<void> {
    unfinished++
    record({ type: 'revoking', token })
    for (let turn = node; ; turn++) {
      const { done } = request(turn, (server) => server.revoke(token))
      if (await Promise.race([done, sleep(attemptMs)])) break
    }
    record({ type: 'revoked', token })
    unfinished--
  }

  return { restrict, revoke, isIdle: () => unfinished === 0 }
}

function actionOf({ id, rule }: Restriction, network: string): Action {
  if (rule === 'mute' || rule === 'ban')
    return { type: 'restrict', kind: rule, target: { network }, minutes: null, reason: id }
  if (rule === 'word') return { type: 'add-word', word: filteredWord }
  return { type: 'set-rules', rules: rulesOf[rule] }
}

function offRules(rule: Exclude<RuleKind, 'word'>): Partial<RoomRules> {
  return Object.fromEntries(
    Object.entries(rulesOf[rule]).map(([name, value]) => [name, typeof value === 'number' ? 0 : false]),
  )
}
