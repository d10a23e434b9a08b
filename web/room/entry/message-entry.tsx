import { type CSSProperties, memo } from 'react'
import { anonymousSuffix } from '../../../contract/constants.ts'
import type { ChatMessage } from '../../../contract/messages.ts'
import { isAnonymousLabel } from '../../../contract/anonymous-label.ts'
import { type Entry, missedMessagesText, trimmedMessagesText } from '../../connection/receive/message-buffer.ts'
import { dayLine } from './day-text.ts'
import { entryParts, separator, sharedTimePrefixLength } from './entry-text.ts'
import { nameHue } from './name-hue.ts'
import type { MentionMatcher } from './mentions.ts'
import { isOrdinary, type TextPart, textParts } from './text-parts.ts'

const linkClasses = 'text-accent underline decoration-1 underline-offset-2 hover:decoration-2'
const blankClasses = 'inline-block h-[1em] w-[0.3em] overflow-hidden align-text-bottom whitespace-nowrap'

const breakClasses = 'inline-block h-0 w-0 overflow-hidden whitespace-nowrap'

function Part({ part }: { part: Exclude<TextPart, { kind: 'text' }> }) {
  if (part.kind === 'blank') return <span className={blankClasses}>{part.text}</span>
  if (part.kind === 'break') {
    return (
      <>
        {isOrdinary(part.text) ? part.text : <span className={breakClasses}>{part.text}</span>}
        <br />
        {part.isEmptyLine && <br />}
      </>
    )
  }
  // The URL is always left to right, so that the host comes first. The list is one Tab stop: `useListKeys` moves the
  // focus to links.
  return (
    <a href={part.href} tabIndex={-1} dir="ltr" target="_blank" rel="noopener nofollow" className={linkClasses}>
      {part.text}
    </a>
  )
}

/** Text of a message. A text with line breaks is an indented block, so that none of its lines looks like another entry. */
function MessageText({ text }: { text: string }) {
  const parts = textParts(text)
  const content = (
    <bdi>{parts.map((part, index) => (part.kind === 'text' ? part.text : <Part key={index} part={part} />))}</bdi>
  )
  return parts.some(({ kind }) => kind === 'break') ? <span className="entry-lines">{content}</span> : content
}

/**
 * Name of a message's sender. Only accounts have a colour and a mark, so that an anonymous name cannot look like an
 * account. The anonymous suffix is outside the name's bidi isolate, so that a right-to-left name cannot move the suffix.
 */
function Sender({ username }: { username: string }) {
  if (isAnonymousLabel(username)) {
    return (
      <span>
        <bdi className="entry-sender text-ink-soft">{username.slice(0, -anonymousSuffix.length)}</bdi>
        <span className="entry-suffix">{anonymousSuffix}</span>
      </span>
    )
  }
  return (
    <span className="account-name" style={{ '--name-hue': nameHue(username) } as CSSProperties}>
      <bdi className="entry-sender entry-name">{username}</bdi>
    </span>
  )
}

interface EntryLineProps {
  message: ChatMessage
  isRemoved: boolean
  previous: Entry | undefined
}

function EntryLine({ message, isRemoved, previous }: EntryLineProps) {
  const { time, username, message: text } = entryParts(message)
  const sharedLength = sharedTimePrefixLength(time, previous)
  // Both brackets have the same colour: faint when the whole time is shared.
  const isWholeTimeShared = sharedLength === time.length
  return (
    <>
      <span className="entry-time">
        {!isWholeTimeShared && '['}
        {sharedLength > 0 && (
          <span className="entry-time-repeated">{isWholeTimeShared ? `[${time}]` : time.slice(0, sharedLength)}</span>
        )}
        {!isWholeTimeShared && `${time.slice(sharedLength)}]`}
      </span>{' '}
      <Sender username={username} />
      <span className="text-ink-soft">{separator}</span>
      {isRemoved ? <em className="text-ink-soft">{text}</em> : <MessageText text={text} />}
    </>
  )
}

export const noticeTexts = { gap: missedMessagesText, trimmed: trimmedMessagesText }

interface EntryContentProps {
  entry: Entry
  previous: Entry | undefined
}

/** Content of an entry's `li`. The text of a message is exactly '[local date-time] username : message'. */
export const EntryContent = memo(function EntryContent({ entry, previous }: EntryContentProps) {
  return (
    <span className="entry-body" data-day={dayLine(entry, previous)}>
      {entry.kind === 'message' ? (
        <EntryLine message={entry.message} isRemoved={entry.isRemoved} previous={previous} />
      ) : (
        <span className="entry-notice">{noticeTexts[entry.kind]}</span>
      )}
    </span>
  )
})

/**
 * Returns the attributes of an entry's `li`, for every list renderer. They mark mentions, own messages and the unread
 * divider by style only, because the text of an entry is specified.
 */
export function entryAttributes(entry: Entry, unreadDividerKey: number | null, mentionsUser: MentionMatcher) {
  const isMessage = entry.kind === 'message'
  return {
    value: isMessage ? entry.number : undefined,
    tabIndex: -1,
    className: 'entry',
    'data-key': entry.key,
    'data-kind': isMessage ? undefined : 'notice',
    'data-unread-divider': entry.key === unreadDividerKey || undefined,
    'data-own': (isMessage && entry.isOwn) || undefined,
    'data-mention': (isMessage && !entry.isOwn && !entry.isRemoved && mentionsUser(entry.message.message)) || undefined,
  }
}
