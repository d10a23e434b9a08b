import { memo } from 'react'
import { anonymousSuffix } from '../../../contract/constants.ts'
import { entryParts } from './entry-text.ts'
import type { ChatMessage } from '../../../contract/messages.ts'
import { isAnonymousLabel } from '../../../contract/anonymous-label.ts'
import { type Entry, missedMessagesText, trimmedMessagesText } from '../../connection/receiving/message-buffer.ts'
import { type TextPart, textParts } from './text-parts.ts'

const linkClasses = 'text-accent underline decoration-1 underline-offset-2 hover:decoration-2'
const blankClasses = 'inline-block h-[1em] w-[0.3em] overflow-hidden align-text-bottom whitespace-nowrap'

function Part({ part }: { part: Exclude<TextPart, { kind: 'text' }> }) {
  if (part.kind === 'blank') return <span className={blankClasses}>{part.text}</span>
  // Left to right whatever stands around it: the host comes first, as it is read.
  return (
    <a href={part.href} dir="ltr" target="_blank" rel="noopener nofollow" className={linkClasses}>
      {part.text}
    </a>
  )
}

function MessageText({ text }: { text: string }) {
  return textParts(text).map((part, index) => (part.kind === 'text' ? part.text : <Part key={index} part={part} />))
}

function Sender({ username }: { username: string }) {
  if (!isAnonymousLabel(username)) return <bdi className="account-name font-semibold">{username}</bdi>
  return (
    <bdi className="font-semibold">
      {username.slice(0, -anonymousSuffix.length)}
      <span className="text-sm font-normal text-ink-soft">{anonymousSuffix}</span>
    </bdi>
  )
}

const EntryLine = memo(function EntryLine({ message }: { message: ChatMessage }) {
  const { time, username, message: text } = entryParts(message)
  return (
    <>
      <span className="entry-time">[{time}] </span>
      <Sender username={username} />
      <span className="text-ink-soft"> : </span>
      {/* Line breaks and runs of blanks are drawn as one: they could start a line that looks like another's entry. */}
      <bdi>
        <MessageText text={text} />
      </bdi>
    </>
  )
})

function Notice({ text }: { text: string }) {
  return <span className="inline-block rounded-full bg-caution-soft px-4 py-1">{text}</span>
}

const noticeTexts = { gap: missedMessagesText, trimmed: trimmedMessagesText }

/**
 * What stands inside an entry's `li`; as text, an entry is '[local date-time] username : message' and nothing more.
 * The padding is in here because the virtualised list measures an entry without its own. What stacked marks would paint
 * over the entries around it is clipped.
 */
export function EntryContent({ entry }: { entry: Entry }) {
  return (
    <span className="block overflow-clip px-1 py-1">
      {entry.kind === 'message' ? <EntryLine message={entry.message} /> : <Notice text={noticeTexts[entry.kind]} />}
    </span>
  )
}

export const entryLook = (entry: Entry) => (entry.kind === 'message' ? 'entry' : 'entry entry-gap')

export const entryNumber = (entry: Entry) => (entry.kind === 'message' ? entry.number : undefined)
