import type { Ref } from 'react'
import { routes } from '../../../contract/routes.ts'
import { Link } from '../../shell/link.tsx'

interface AuthorChoiceProps {
  id: string
  /** Account under which the draft was written. */
  writtenAs: string
  /** Name under which the user sends messages now. */
  sendsAs: string
  /** Ref of the 'Log in' link. Submitting the form moves the focus to it. */
  ref: Ref<HTMLAnchorElement>
  onSend: () => void
}

/** Lets the user choose the name under which to send a draft that was written under another account. */
export function AuthorChoice({ id, writtenAs, sendsAs, ref, onSend }: AuthorChoiceProps) {
  const author = <bdi>{writtenAs}</bdi>
  return (
    <p id={id} className="author-choice">
      Written as {author}.{' '}
      <Link ref={ref} href={routes.login} aria-describedby={id}>
        Log in
      </Link>{' '}
      to send it as {author}, or{' '}
      <button type="button" onClick={onSend} aria-describedby={id}>
        send it as <bdi>{sendsAs}</bdi>
      </button>
    </p>
  )
}
