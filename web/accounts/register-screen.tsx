import { useEffect, useRef, useState } from 'react'
import { normalizeName, findNameProblem } from '../../contract/names.ts'
import { routes } from '../../contract/routes.ts'
import { Link } from '../shell/link.tsx'
import { SubmitButton } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { CheckIcon } from '../ui/form-icons.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { isCallFailure, register } from './calls.ts'
import { FormScreen, textLinkClasses } from './form-screen.tsx'
import { storeLoginData } from './login-data.ts'
import { RetryNotice } from './retry-notice.tsx'
import { fieldText, useSubmission } from './use-submission.ts'

interface Problem {
  field: 'name' | 'email'
  text: string
}

/**
 * Returns the field that the server rejected, with the reason; `null` if that field is unknown. For an invalid name, the
 * page finds the broken rule itself by the name rules of the contract. `mayBeRegistered` is true if an earlier
 * registration of this name may have succeeded.
 */
function findFieldProblem(error: unknown, name: string, mayBeRegistered: boolean): Problem | null {
  if (!isCallFailure(error) || error.rejection === null) return null
  const { code, message } = error.rejection
  if (code === 'name_taken') {
    return { field: 'name', text: mayBeRegistered ? `${message} If you just registered it, log in.` : message }
  }
  if (code === 'email_taken') return { field: 'email', text: message }
  const nameProblem = code === 'invalid' ? findNameProblem(normalizeName(name)) : null
  return nameProblem === null ? null : { field: 'name', text: nameProblem }
}

const errorText = (error: unknown) => (error instanceof Error ? error.message : String(error))

export function RegisterScreen() {
  const form = useRef<HTMLFormElement>(null)
  const name = useRef<HTMLInputElement>(null)
  const email = useRef<HTMLInputElement>(null)
  const confirmation = useRef<HTMLOutputElement>(null)
  const [registered, setRegistered] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  /** Name of the last registration that failed without a rejection, so that the account may exist. */
  const uncertainName = useRef<string | null>(null)

  const { isBusy, retry, onSubmit } = useSubmission(
    form,
    async (fields) => {
      setRegistered(null)
      setProblem(null)
      const response = await register({
        name: fieldText(fields, 'name'),
        email: fieldText(fields, 'email'),
        password: fieldText(fields, 'password'),
      })
      storeLoginData(response)
      setRegistered(response.name)
      form.current?.reset()
    },
    (error, fields) => {
      console.error(error)
      window.alert(`An error occurred. Please try again. ${errorText(error)}`)
      const triedName = fieldText(fields, 'name')
      if (!isCallFailure(error) || error.rejection === null) uncertainName.current = triedName
      const fieldProblem = findFieldProblem(error, triedName, triedName === uncertainName.current)
      setProblem(fieldProblem)
      if (fieldProblem !== null) (fieldProblem.field === 'name' ? name : email).current?.focus()
    },
  )

  // While an on-screen keyboard is open, the confirmation would be below the visible part of the page.
  useEffect(() => {
    if (registered !== null) confirmation.current?.scrollIntoView({ block: 'center' })
  }, [registered])

  return (
    <FormScreen title="Create an account">
      <form ref={form} method="dialog" onSubmit={onSubmit} aria-busy={isBusy} className="mt-6 grid grid-cols-1 gap-4">
        <Field
          ref={name}
          label="Name"
          name="name"
          type="text"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          problem={problem?.field === 'name' ? problem.text : null}
          required
        />
        <Field
          ref={email}
          label="Email"
          name="email"
          type="email"
          autoComplete="email"
          problem={problem?.field === 'email' ? problem.text : null}
          hint="Other registered users can see your e-mail address."
          required
        />
        <PasswordField autoComplete="new-password" />
        <SubmitButton isBusy={isBusy} className="mt-2 h-13">
          Sign Up
        </SubmitButton>
        <RetryNotice {...retry} />
      </form>
      <output ref={confirmation} className="mt-4 block empty:hidden">
        {registered !== null && (
          <span className="flex items-start gap-2.5 rounded-field bg-accent-soft px-3.5 py-3 text-sm text-accent-strong">
            <CheckIcon />
            <span className="wrap-anywhere">
              Welcome, <bdi className="font-semibold">{registered}</bdi>. Your account is ready.{' '}
              <Link href={routes.login} className="inline-block font-semibold underline underline-offset-2">
                Log in as <bdi>{registered}</bdi>
              </Link>
            </span>
          </span>
        )}
      </output>
      <p className="mt-3 flex flex-wrap items-center gap-x-2 text-ink-soft">
        Already have an account?
        <Link href={routes.login} className={textLinkClasses}>
          Log in
        </Link>
      </p>
    </FormScreen>
  )
}
