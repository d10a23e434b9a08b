import { type SubmitEvent, useRef, useState } from 'react'
import { isCallFailure } from './calls.ts'

interface Retry {
  reason: string
  retryAtMs: number | null
}

const noRetry: Retry = { reason: '', retryAtMs: null }

/** Runs one submission at a time: a second press while the first is under way does nothing. */
export function useSubmission(submit: (form: FormData) => Promise<void>, failed: (error: unknown) => void) {
  const underWay = useRef(false)
  const [busy, setBusy] = useState(false)
  const [retry, setRetry] = useState(noRetry)

  const run = async (form: FormData) => {
    setRetry(noRetry)
    setBusy(true)
    try {
      await submit(form)
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

  return { busy, retry, onSubmit }
}

/** The text of a field; a form of text fields holds nothing else. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
