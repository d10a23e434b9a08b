import { type Ref, useCallback, useState } from 'react'
import { Field } from './field.tsx'
import { EyeIcon, EyeOffIcon } from './form-icons.tsx'

interface PasswordFieldProps {
  autoComplete: 'current-password' | 'new-password'
  placeholder?: string
  ref?: Ref<HTMLInputElement>
}

export function PasswordField({ autoComplete, placeholder, ref }: PasswordFieldProps) {
  const [isShown, setIsShown] = useState(false)
  /** Hides the characters when the form is reset, before another password is entered. */
  const hideOnReset = useCallback(({ form }: HTMLButtonElement) => {
    const hide = () => setIsShown(false)
    form?.addEventListener('reset', hide)
    return () => form?.removeEventListener('reset', hide)
  }, [])
  const Icon = isShown ? EyeOffIcon : EyeIcon
  return (
    <Field
      ref={ref ?? null}
      label="Password"
      name="password"
      type={isShown ? 'text' : 'password'}
      autoComplete={autoComplete}
      autoCapitalize="none"
      spellCheck={false}
      placeholder={placeholder}
      required
      trailing={
        <button
          ref={hideOnReset}
          type="button"
          aria-label="Show characters"
          aria-pressed={isShown}
          onClick={() => setIsShown((before) => !before)}
          className="absolute inset-y-1.5 end-1.5 grid w-11 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
        >
          <Icon />
        </button>
      }
    />
  )
}
