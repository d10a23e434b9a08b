import type { MouseEvent } from 'react'
import { routes } from '../../contract/routes.ts'
import { usePath } from './location.ts'
import { focusMessageField } from './route-focus.tsx'

function focusMain() {
  document.getElementById('main')?.focus()
}

interface SkipLinkProps {
  text: string
  onFollow: () => void
}

function SkipLink({ text, onFollow }: SkipLinkProps) {
  // Move the focus without navigation: '#main' would add a history entry that the app did not create.
  const follow = (event: MouseEvent) => {
    event.preventDefault()
    onFollow()
  }
  return (
    <a
      href="#main"
      onClick={follow}
      className="sr-only rounded-field bg-accent font-semibold text-on-accent focus:not-sr-only focus:absolute focus:top-2 focus:start-2 focus:z-30 focus:px-4 focus:py-2.5"
    >
      {text}
    </a>
  )
}

/** Links that are the first Tab stops of a page. They are hidden until they have the focus. */
export function SkipLinks() {
  const isRoom = usePath() === routes.room
  return (
    <>
      <SkipLink text="Skip to content" onFollow={focusMain} />
      {isRoom && <SkipLink text="Skip to the message field" onFollow={focusMessageField} />}
    </>
  )
}
