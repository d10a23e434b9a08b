import { restrictionKinds } from '../../../contract/constants.ts'
import { maxReasonCharacters, maxRestrictionMinutes, type RestrictionKind } from '../../../contract/moderation.ts'
import { escapeControls } from '../../observe/untrusted-text.ts'
import {
  type AdminCommand,
  type AdminContext,
  type CommandArguments,
  numberOption,
  operator,
  seqOption,
  textOption,
  UsageError,
} from './command.ts'
import { tableOr, timeText } from './text-table.ts'

const effects: Readonly<Record<RestrictionKind, string>> = {
  mute: 'Rejects the messages of a sender. Give one of --sender-of, --user and --network. Without --minutes, the mute is permanent.',
  ban: 'Closes the connections of a sender and rejects new ones. Give one of --sender-of, --user and --network. Without --minutes, the ban is permanent.',
}

const endText = (endsAtMs: number | null) => (endsAtMs === null ? 'never' : timeText(endsAtMs))

const restrict = (kind: RestrictionKind): AdminCommand => ({
  name: kind,
  words: [],
  options: {
    'sender-of': { value: 'SEQ', help: 'the sender of this message' },
    user: { value: 'NAME', help: 'this account, and anonymous messages from its networks of the last 24 hours' },
    network: { value: 'CIDR', help: 'anonymous senders of this network, such as 203.0.113.0/24' },
    minutes: { value: 'N', help: 'duration in minutes' },
    reason: { value: 'TEXT', help: 'shown to the sender and in the audit' },
    loopback: { help: 'also for senders on the machine of the server' },
  },
  help: effects[kind],
  prepare(given) {
    const target = targetOf(kind, given)
    const minutes = numberOption(given, 'minutes', { min: 1, max: maxRestrictionMinutes })
    const reason = textOption(given, 'reason')
    if (reason !== null && reason.length > maxReasonCharacters)
      throw new UsageError(`--reason: longer than ${maxReasonCharacters} characters`)
    return async (context) => {
      const { restriction, notice } = await context.moderation.perform(operator, {
        type: 'restrict',
        kind,
        target: await target(context),
        minutes,
        ...(reason === null ? {} : { reason }),
        ...(given.options['loopback'] === true ? { loopback: true } : {}),
      })
      if (restriction === undefined) throw new Error(`${kind}: the result has no restriction`)
      const { id, target: name, endsAtMs } = restriction
      const text = `${kind} ${id}: ${escapeControls(name)}, ends: ${endText(endsAtMs)}${notice ? `\n${notice}` : ''}`
      return { data: { restriction, ...(notice === undefined ? {} : { notice }) }, text }
    }
  },
})

type Target = { senderOf: number } | { account: { id: string; name: string } } | { network: string }

function targetOf(kind: RestrictionKind, given: CommandArguments): (context: AdminContext) => Promise<Target> {
  const senderOf = seqOption(given, 'sender-of')
  const user = textOption(given, 'user')
  const network = textOption(given, 'network')
  if ([senderOf, user, network].filter((aim) => aim !== null).length !== 1)
    throw new UsageError(`${kind}: give exactly one of --sender-of, --user and --network`)
  if (senderOf !== null) return async () => ({ senderOf })
  if (network !== null) return async () => ({ network })
  return async ({ accounts }) => ({ account: await accounts.find(user ?? '') })
}

const end = (kind: RestrictionKind): AdminCommand => ({
  name: `un${kind}`,
  words: ['ID'],
  options: {},
  help: `Ends a ${kind}. restrictions list shows the ids.`,
  prepare({ words: [id = ''] }) {
    return async ({ moderation }) => {
      const known = moderation.restrictions().find((restriction) => restriction.id === id)
      if (known !== undefined && known.kind !== kind)
        throw new UsageError(`${id} is a ${known.kind}: use un${known.kind}`)
      await moderation.perform(operator, { type: 'end-restriction', id })
      return { data: { ended: id }, text: `Ended the ${kind} ${escapeControls(id)}.` }
    }
  },
})

const restrictionsList: AdminCommand = {
  name: 'restrictions list',
  words: [],
  options: {},
  help: 'Lists the mutes and bans in effect.',
  prepare() {
    return async ({ moderation }) => {
      const restrictions = moderation.restrictions()
      const rows = restrictions.map(({ id, kind, target, endsAtMs, reason }) => [
        id,
        kind,
        target,
        endText(endsAtMs),
        reason ?? '',
      ])
      const text = tableOr('No mutes or bans.', ['id', 'kind', 'target', 'ends', 'reason'], rows)
      return { data: { restrictions }, text }
    }
  },
}

export const restrictionCommands = [...restrictionKinds.map(restrict), ...restrictionKinds.map(end), restrictionsList]
