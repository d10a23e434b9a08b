import { type RefObject, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { takeEarlySubmits } from '../app/early/early-input.ts'
import { isCallFailure } from './calls.ts'

interface Retry {
  reason: string
  retryAtMs: number | null
}

const noRetry: Retry = { reason: '', retryAtMs: null }

/**
 * Runs one submission at a time: a second press while the first is under way does nothing. A press from before the
 * script was there is made up for.
 */
export function useSubmission(
  form: RefObject<HTMLFormElement | null>,
  submit: (fields: FormData) => Promise<void>,
  failed: (error: unknown) => void,
) {
  const underWay = useRef(false)
  const [busy, setBusy] = useState(false)
  const [retry, setRetry] = useState(noRetry)

  const run = async (fields: FormData) => {
    setRetry(noRetry)
    setBusy(true)
    try {
      await submit(fields)
    } catch (error) {
      setBusy(false)
      if (isCallFailure(error)) setRetry({ reason: error.message, retryAtMs: error.retryAtMs })
      failed(error)
    } finally {
      underWay.current = false
      setBusy(false)
    }
  }

  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (underWay.current) return
    underWay.current = true
    void run(new FormData(event.currentTarget))
  }

  useEffect(() => {
    if (form.current !== null && takeEarlySubmits(form.current).length > 0) form.current.requestSubmit()
  }, [form])

  return { busy, retry, onSubmit }
}

/** The text of a field; a form of text fields holds nothing else. */
export function fieldText(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
