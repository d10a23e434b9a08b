import type { ReactNode } from 'react'
import { Spinner } from './spinner.tsx'

interface SubmitButtonProps {
  children: ReactNode
  busy: boolean
  className?: string
}

/**
 * Busy is told by `aria-disabled` rather than `disabled`, which would throw the keyboard's focus away;
 * the form itself ignores a second submission.
 */
export function SubmitButton({ children, busy, className = '' }: SubmitButtonProps) {
  return (
    <button
      type="submit"
      aria-disabled={busy}
      className={`relative inline-flex min-h-11 items-center justify-center gap-2 rounded-field border border-transparent bg-accent px-5 font-semibold text-on-accent transition-colors duration-150 hover:bg-accent-strong active:translate-y-px aria-disabled:cursor-progress aria-disabled:bg-accent-strong ${className}`}
    >
      {children}
      {busy && <Spinner />}
    </button>
  )
}
