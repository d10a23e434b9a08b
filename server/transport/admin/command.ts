import type { AccountAdmin } from '../../accounts/account-admin.ts'
import type { Moderation } from '../../moderation/open-moderation.ts'
import type { MessageLog } from '../../room/message-log.ts'

/** Statistics of the node that runs the command. */
interface NodeStatistics {
  version: string
  uptimeSeconds: number
  /** Number of connections of this node. */
  connections: number
  /** Oldest and newest seq of the log. */
  messages: { oldest: number; head: number }
}

/** Modules that commands use. */
export interface AdminContext {
  accounts: AccountAdmin
  moderation: Moderation
  log: Pick<MessageLog, 'bounds' | 'catchUp' | 'fetchHead' | 'listForOperator' | 'seqsOfSender'>
  statistics: () => NodeStatistics
}

/** Result of a command: `data` for `--json`, `text` for the terminal. */
interface CommandResult {
  data: unknown
  text: string
}

export interface CommandArguments {
  /** Arguments that are not options. */
  words: readonly string[]
  options: Readonly<Record<string, string | boolean | undefined>>
  /** Standard input of the command line; `null` without input. */
  input: string | null
}

export interface AdminCommand {
  /** Name of one or two words, such as `users list`. */
  name: string
  /** Arguments of the command: `NAME` is required, `[NAME]` optional; `SEQ…` can be repeated. */
  words: readonly string[]
  /** Options by name. `value` describes the value of an option; an option without `value` is a switch. */
  options: Readonly<Record<string, { value?: string; help: string }>>
  help: string
  /** Whether the command line sends its standard input to the server, unless the input is a terminal. */
  readsInput?: true
  /**
   * Checks the arguments without a server, and returns the function that runs the command. Throws a `UsageError` if the
   * arguments are invalid.
   */
  prepare(given: CommandArguments): (context: AdminContext) => Promise<CommandResult>
}

/** Actor of every command. */
export const operator = { kind: 'operator' } as const

/** Error for invalid arguments or an invalid request. The operator reads its message. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Returns the value of an option that is a whole number, or `null` if the option is not given. */
export function numberOption(
  { options }: CommandArguments,
  name: string,
  { min, max }: { min: number; max: number },
): number | null {
  const text = options[name]
  return typeof text === 'string' ? wholeNumber(`--${name}`, text, { min, max }) : null
}

export function wholeNumber(what: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new UsageError(`${what}: '${text}' is not a whole number from ${min} to ${max}`)
}

export const seqRange = { min: 1, max: Number.MAX_SAFE_INTEGER }

/** Returns the seq of a message, or `null` if the option is not given. */
export const seqOption = (given: CommandArguments, name: string) => numberOption(given, name, seqRange)

export function textOption({ options }: CommandArguments, name: string): string | null {
  const text = options[name]
  return typeof text === 'string' ? text : null
}
