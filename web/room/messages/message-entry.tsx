import { memo } from 'react'
import { anonymousSuffix } from '../../../contract/constants.ts'
import { entryParts } from './entry-text.ts'
import type { ChatMessage } from '../../../contract/messages.ts'
import { isAnonymousLabel } from '../../../contract/names.ts'
import { type Entry, missedMessagesText, trimmedMessagesText } from '../../connection/receiving/message-buffer.ts'
import { textParts } from './links.ts'

function MessageText({ text }: { text: string }) {
  return textParts(text).map((part, index) =>
    part.kind === 'text' ? (
      part.text
    ) : (
      <a
        key={index}
        href={part.href}
        target="_blank"
        rel="noopener nofollow"
        className="text-accent underline decoration-1 underline-offset-2 hover:decoration-2"
      >
        {part.text}
      </a>
    ),
  )
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
      {/* Line breaks and runs of blanks are not drawn: they could start a line that looks like another's entry. */}
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
 * The padding is in here because the virtualised list measures an entry without its own.
 */
export function EntryContent({ entry }: { entry: Entry }) {
  return (
    <span className="block px-1 py-1">
      {entry.kind === 'message' ? <EntryLine message={entry.message} /> : <Notice text={noticeTexts[entry.kind]} />}
    </span>
  )
}

export const entryLook = (entry: Entry) => (entry.kind === 'message' ? 'entry' : 'entry entry-gap')

export const entryNumber = (entry: Entry) => (entry.kind === 'message' ? entry.number : undefined)
