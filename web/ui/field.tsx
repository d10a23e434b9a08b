import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react'

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  /** Whether the label replaces the placeholder in an empty field without the focus. */
  isFloating?: boolean
  /** Error message, shown under the field and linked by `aria-describedby`. */
  problem?: string | null
  /** Help text, shown under the field when there is no problem. */
  hint?: string
  trailing?: ReactNode
  ref?: Ref<HTMLInputElement>
}

export function Field({ label, isFloating, problem = null, hint, trailing, className = '', ...input }: FieldProps) {
  const inputId = useId()
  const noteId = useId()
  const hasNote = problem !== null || hint !== undefined
  const describedBy = [input['aria-describedby'], hasNote && noteId].filter(Boolean).join(' ')
  return (
    <div className={`field ${className}`} data-floating={isFloating} data-trailing={trailing !== undefined}>
      <input
        {...input}
        aria-describedby={describedBy || undefined}
        {...(problem === null ? {} : { 'aria-invalid': true })}
        id={inputId}
        placeholder={isFloating ? label : input.placeholder}
        className="field-input"
      />
      <label htmlFor={inputId} className="field-label">
        {label}
      </label>
      {trailing}
      {problem !== null && (
        <p id={noteId} className="mt-1.5 px-1 text-sm font-medium text-danger">
          {problem}
        </p>
      )}
      {problem === null && hint !== undefined && (
        <p id={noteId} className="mt-1.5 px-1 text-sm text-ink-soft">
          {hint}
        </p>
      )}
    </div>
  )
}
