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

const labelAtTop = 'top-1.5 text-xs'
const labelFloating = `${labelAtTop} peer-[:placeholder-shown:not(:focus)]:top-4.5 peer-[:placeholder-shown:not(:focus)]:text-base`

export function Field({ label, floating, problem = null, hint, trailing, className = '', ...input }: FieldProps) {
  const inputId = useId()
  const noteId = useId()
  return (
    <div className={`relative ${className}`}>
      <input
        {...input}
        {...(problem === null && hint === undefined ? {} : { 'aria-describedby': noteId })}
        {...(problem === null ? {} : { 'aria-invalid': true })}
        id={inputId}
        placeholder={floating ? label : input.placeholder}
        className={`peer block h-14 w-full min-w-0 rounded-field border border-line-strong bg-surface px-3.5 pt-5 text-base text-ink transition-colors duration-150 hover:border-ink-soft focus:border-accent focus-visible:outline-offset-0 aria-invalid:border-danger ${
          floating ? 'placeholder:text-transparent' : ''
        } ${trailing === undefined ? '' : 'pr-12'}`}
      />
      <label
        htmlFor={inputId}
        className={`pointer-events-none absolute right-3.5 left-3.5 truncate leading-4.5 text-ink-soft transition-all duration-150 ease-calm peer-focus:text-accent ${
          floating ? labelFloating : labelAtTop
        }`}
      >
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
