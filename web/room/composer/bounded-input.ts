import { type ChangeEvent, type RefObject, useEffect, useState } from 'react'
import { overLimit } from './text-limit.ts'

function after(input: HTMLInputElement, inserted: string): string {
  const start = input.selectionStart ?? input.value.length
  const end = input.selectionEnd ?? start
  return input.value.slice(0, start) + inserted + input.value.slice(end)
}

/**
 * An input that takes no more than its limit: what would not fit is refused as a whole, before it is in the field,
 * so that neither the text nor the caret changes.
 */
export function useBoundedInput(
  ref: RefObject<HTMLInputElement | null>,
  maxCharacters: number,
  change: (text: string) => void,
) {
  const [refusal, setRefusal] = useState<string | null>(null)

  useEffect(() => {
    const input = ref.current
    if (input === null) return
    const beforeInput = (event: InputEvent) => {
      const inserted = event.data ?? event.dataTransfer?.getData('text/plain') ?? ''
      const reason = inserted === '' ? null : overLimit(after(input, inserted), maxCharacters)
      if (reason !== null && event.cancelable) event.preventDefault()
      setRefusal(reason)
    }
    input.addEventListener('beforeinput', beforeInput)
    return () => input.removeEventListener('beforeinput', beforeInput)
  }, [ref, maxCharacters])

  return {
    refusal,
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      const text = event.target.value
      // A keyboard that composes cannot be refused beforehand.
      const reason = overLimit(text, maxCharacters)
      if (reason === null) change(text)
      else setRefusal(reason)
    },
  }
}
