import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react'

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  /** The label stands in the field until something is in it, in the place of a placeholder of the same words. */
  floating?: boolean
  /** What is wrong with the value, shown under the field and told with it. */
  problem?: string | null
  /** What to know before filling it in. */
  hint?: string
  trailing?: ReactNode
  ref?: Ref<HTMLInputElement>
}

export function Field({ label, floating, problem = null, hint, trailing, className = '', ...input }: FieldProps) {
  const inputId = useId()
  const noteId = useId()
  const hasNote = problem !== null || hint !== undefined
  // Beside what the caller says of it, not in its place.
  const describedBy = [input['aria-describedby'], hasNote && noteId].filter(Boolean).join(' ')
  return (
    <div className={`field ${className}`} data-floating={floating} data-trailing={trailing !== undefined}>
      <input
        {...input}
        aria-describedby={describedBy || undefined}
        {...(problem === null ? {} : { 'aria-invalid': true })}
        id={inputId}
        placeholder={floating ? label : input.placeholder}
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
