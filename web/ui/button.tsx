import type { ReactNode } from 'react'
import { Spinner } from './spinner.tsx'

interface SubmitButtonProps {
  children: ReactNode
  busy: boolean
  className?: string
}

/** Submit button. A busy button uses `aria-disabled`, because `disabled` would lose the focus. The form ignores submits. */
export function SubmitButton({ children, busy, className = '' }: SubmitButtonProps) {
  return (
    <button type="submit" aria-disabled={busy} className={`button ${className}`}>
      {children}
      {busy && <Spinner />}
    </button>
  )
}
