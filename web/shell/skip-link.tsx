import type { MouseEvent } from 'react'

/** Moves the focus without navigation: '#main' would add a history entry that the app did not create. */
function focusMain(event: MouseEvent) {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

export function SkipLink() {
  return (
    <a
      href="#main"
      onClick={focusMain}
      className="sr-only rounded-field bg-accent font-semibold text-on-accent focus:not-sr-only focus:absolute focus:top-2 focus:start-2 focus:z-30 focus:px-4 focus:py-2.5"
    >
      Skip to content
    </a>
  )
}
