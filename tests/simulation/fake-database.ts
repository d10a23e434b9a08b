import { noRules } from '../../contract/constants.ts'
import type { RoomRules } from '../../contract/moderation.ts'
import type { Account, AccountStore } from '../../server/accounts/account-store.ts'
import { StorageError } from '../../server/base/storage-error.ts'
import type {
  ChangeOutcome,
  FilteredWord,
  ModerationChange,
  ModerationStore,
  StoredRestriction,
} from '../../server/moderation/moderation-store.ts'
import type { Random } from '../faults/random.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

const maxDelayMs = 20
const failureChance = 0.01

export type FakeDatabase = ReturnType<typeof createFakeDatabase>

/** Simulates the database of tokens and moderation. Its content survives the servers that use it. */
export function createFakeDatabase(time: VirtualTime, random: Random) {
  const accounts = new Map<string, Account>()
  let rules: RoomRules = noRules
  let words: FilteredWord[] = []
  let restrictions: StoredRestriction[] = []

  function apply(change: ModerationChange): ChangeOutcome {
    const done = { isDone: true, endsAtMs: null, hasWithdrawnRole: false } as const
    switch (change.type) {
      case 'restrict':
        restrictions = [...restrictions, { ...change.restriction, endsAtMs: null, accountNetworks: [] }]
        return done
      case 'end-restriction': {
        const others = restrictions.filter(({ id }) => id !== change.id)
        if (others.length === restrictions.length) return { isDone: false, problem: 'not_found' }
        restrictions = others
        return done
      }
      case 'set-rules':
        rules = { ...rules, ...change.rules }
        return done
      case 'add-word':
        words = [...words, change.word]
        return done
      case 'remove-word':
        words = words.filter(({ word }) => word !== change.word)
        return done
      default:
        throw new Error(`unsupported change ${change.type}`)
    }
  }

  /** Opens the database for a process. Calls are delayed and sometimes fail. */
  function open(owner: Owner) {
    function call<Result>(work: () => Result): Promise<Result> {
      return new Promise((resolve, reject) => {
        const isFailing = random.chance(failureChance)
        time.after(random.whole(0, maxDelayMs), () => {
          const respond = isFailing ? failing(reject) : succeeding(resolve, work())
          time.after(random.whole(0, maxDelayMs), respond, owner)
        })
      })
    }
    const moderation: ModerationStore = {
      load: () =>
        call(() => ({ moderators: [], rules, announcement: null, words, restrictions, nowMs: time.dateNow() })),
      apply: (change) => call(() => apply(change)),
      isAllowed: ({ kind }) => call(() => kind === 'operator'),
      listAudit: () => call(() => []),
      noteNetwork: () => call(() => undefined),
      listNetworks: () => call(() => []),
      eraseNames: () => call(() => undefined),
      sweep: () => call(() => undefined),
    }
    const tokens: Pick<AccountStore, 'findByToken' | 'listTokens' | 'revokeToken'> = {
      findByToken: (hash) => call(() => accounts.get(hash) ?? null),
      revokeToken: (hash) => call(() => void accounts.delete(hash)),
      listTokens: () => call(() => []),
    }
    return { moderation, tokens }
  }

  return {
    open,
    addToken: (hash: string, account: Account) => void accounts.set(hash, account),
    /** Returns the stored rules, without the delay and the failures of a call. */
    rules: () => rules,
    words: () => words,
    restrictions: () => restrictions,
  }
}

const failing = (reject: (error: Error) => void) => () => reject(new StorageError('simulated failure of the database'))
const succeeding =
  <Result>(resolve: (result: Result) => void, result: Result) =>
  () =>
    resolve(result)
