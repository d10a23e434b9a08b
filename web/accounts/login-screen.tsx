import { useRef } from 'react'
import { loginSuccessStat } from '../../contract/constants.ts'
import { routes } from '../../contract/routes.ts'
import { useRoomActions } from '../connection/hooks.ts'
import { Link } from '../shell/link.tsx'
import { navigate } from '../shell/location.ts'
import { focusMessageField } from '../shell/route-focus.tsx'
import { afterPaint } from '../ui/after-paint.ts'
import { SubmitButton } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { logIn } from './calls.ts'
import { FormScreen, textLinkClasses } from './form-screen.tsx'
import { lastRegisteredName } from './login-data.ts'
import { RetryNotice } from './retry-notice.tsx'
import { fieldText, useSubmission } from './use-submission.ts'

export function LoginScreen() {
  const room = useRoomActions()
  const form = useRef<HTMLFormElement>(null)
  const password = useRef<HTMLInputElement>(null)

  const { isBusy, retry, onSubmit } = useSubmission(
    form,
    async (fields) => {
      const response = await logIn({ name: fieldText(fields, 'name'), password: fieldText(fields, 'password') })
      if (response.stat !== loginSuccessStat) {
        window.alert('Invalid credentials. Please try again.')
        password.current?.focus()
        return
      }
      room.logIn(response.name, response.token)
      navigate(routes.room)
      await afterPaint()
      window.alert(`Login successful: ${response.name}`)
      focusMessageField()
    },
    (error) => {
      console.error(error)
      window.alert('An error occurred. Please try again.')
    },
  )

  return (
    <FormScreen title="Login to your account">
      <form ref={form} method="dialog" onSubmit={onSubmit} aria-busy={isBusy} className="mt-6 grid grid-cols-1 gap-4">
        <Field
          label="Username"
          name="name"
          type="text"
          placeholder="Enter Username"
          defaultValue={lastRegisteredName()}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <PasswordField ref={password} autoComplete="current-password" placeholder="Enter Password" />
        <SubmitButton isBusy={isBusy} className="mt-2 h-13">
          Login
        </SubmitButton>
        <RetryNotice {...retry} />
      </form>
      <p className="mt-3">
        <Link href={routes.register} className={textLinkClasses}>
          Don't have an account?
        </Link>
      </p>
    </FormScreen>
  )
}
