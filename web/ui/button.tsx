import type { ReactNode } from 'react'
import { Spinner } from './spinner.tsx'

interface SubmitButtonProps {
  children: ReactNode
  isBusy: boolean
  className?: string
}

/**
 * Submit button. A busy button uses `aria-disabled`, because `disabled` would lose the focus. `useSubmission` ignores
 * submits meanwhile.
 */
export function SubmitButton({ children, isBusy, className = '' }: SubmitButtonProps) {
  return (
    <button type="submit" aria-disabled={isBusy} className={`button ${className}`}>
      {children}
      {isBusy && <Spinner />}
    </button>
  )
}
