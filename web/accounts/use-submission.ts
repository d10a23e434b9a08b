import { type RefObject, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { takeEarlySubmits } from '../app/early/early-input.ts'
import { isCallFailure } from './calls.ts'

interface Retry {
  reason: string
  retryAtMs: number | null
}

const noRetry: Retry = { reason: '', retryAtMs: null }

/**
 * Handles the submits of a form, and ignores a submit while another one is in progress. Repeats submits from before
 * hydration as one submit.
 */
export function useSubmission(
  form: RefObject<HTMLFormElement | null>,
  submit: (fields: FormData) => Promise<void>,
  onError: (error: unknown, fields: FormData) => void,
) {
  const isSubmitting = useRef(false)
  const [isBusy, setIsBusy] = useState(false)
  const [retry, setRetry] = useState(noRetry)

  const run = async (fields: FormData) => {
    setRetry(noRetry)
    setIsBusy(true)
    try {
      await submit(fields)
    } catch (error) {
      if (isCallFailure(error)) setRetry({ reason: error.message, retryAtMs: error.retryAtMs })
      onError(error, fields)
    } finally {
      isSubmitting.current = false
      setIsBusy(false)
    }
  }

  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSubmitting.current) return
    isSubmitting.current = true
    void run(new FormData(event.currentTarget))
  }

  useEffect(() => {
    if (form.current !== null && takeEarlySubmits(form.current).length > 0) form.current.requestSubmit()
  }, [form])

  return { isBusy, retry, onSubmit }
}

/** Returns the text of a form field; '' for a missing field. */
export function fieldText(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
