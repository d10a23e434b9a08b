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
    <button type="submit" aria-disabled={busy} className={`button ${className}`}>
      {children}
      {busy && <Spinner />}
    </button>
  )
}
