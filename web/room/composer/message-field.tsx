import { type KeyboardEvent, type RefObject, type TextareaHTMLAttributes, useId } from 'react'
import { maxFieldUnits } from './text-limit.ts'

/** Key code of a key that an input method handles. Safari has ended the composition when it reports the Enter that did so. */
const inputMethodKeyCode = 229

/** Submits the form on Enter, as in an input. Enter with Shift or Alt breaks the line. */
function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>) {
  const { key, shiftKey, altKey, keyCode, nativeEvent, currentTarget } = event
  if (key !== 'Enter' || shiftKey || altKey || nativeEvent.isComposing || keyCode === inputMethodKeyCode) return
  event.preventDefault()
  currentTarget.form?.requestSubmit()
}

interface MessageFieldProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  value: string
  ref: RefObject<HTMLTextAreaElement | null>
}

/** The message field. It grows with its text: CSS gives it the height of a hidden copy of the text. */
export function MessageField({ value, ...attributes }: MessageFieldProps) {
  const id = useId()
  return (
    <div className="field message-field composer-text" data-floating="true" data-text={value}>
      <textarea
        {...attributes}
        value={value}
        id={id}
        name="message"
        placeholder="Message"
        rows={1}
        className="field-input"
        dir="auto"
        maxLength={maxFieldUnits}
        autoComplete="off"
        enterKeyHint="send"
        onKeyDown={submitOnEnter}
      />
      <label htmlFor={id} className="field-label">
        Message
      </label>
    </div>
  )
}
