import {
  type KeyboardEvent,
  type Ref,
  type RefObject,
  type TextareaHTMLAttributes,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react'
import { maxFieldUnits } from './text-limit.ts'
import { useMessageField } from './use-message-field.ts'

/**
 * Key code of a key that an input method handles. Safari reports the Enter that ends a composition only after the
 * composition.
 */
const inputMethodKeyCode = 229

/** Returns whether a key moves the caret. After a submit, the caret is at the end, so End counts only with a selection. */
function movesCaret({ key, currentTarget }: KeyboardEvent<HTMLTextAreaElement>): boolean {
  return /^(Arrow|Home)/.test(key) || (key === 'End' && currentTarget.selectionStart !== currentTarget.selectionEnd)
}

/** Submits the form on Enter, as in an input, but not with Shift or Alt, or during a composition. */
function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>) {
  const { key, shiftKey, altKey, keyCode, nativeEvent, currentTarget } = event
  if (key !== 'Enter' || shiftKey || altKey || nativeEvent.isComposing || keyCode === inputMethodKeyCode) return
  event.preventDefault()
  currentTarget.form?.requestSubmit()
}

/**
 * Sets the text of the uncontrolled field. In a controlled field, React would also set the default value, which is a
 * child node. At every keystroke, the browser would then recompute the style of each ancestor of the field that has a
 * `:has` rule.
 */
function useFieldText(ref: RefObject<HTMLTextAreaElement | null>, text: string) {
  const isHydrated = useRef(false)
  useLayoutEffect(() => {
    const field = ref.current
    // Keep text that was typed before hydration. The composer adopts this text.
    const canClear = isHydrated.current || text !== ''
    isHydrated.current = true
    if (field !== null && canClear && field.value !== text) field.value = text
  })
}

export interface MessageFieldHandle {
  /** Ends an input method composition, so that its text becomes the draft. */
  readonly endComposition: () => void
}

/** Attributes that the parent sets. The field sets the others itself. */
type GivenAttributes = Omit<
  TextareaHTMLAttributes<HTMLTextAreaElement>,
  'id' | 'onChange' | 'onClick' | 'onCompositionEnd' | 'onKeyDown'
>

interface MessageFieldProps extends GivenAttributes {
  ref: RefObject<HTMLTextAreaElement | null>
  handle: Ref<MessageFieldHandle>
  /** Called when the user changes the text. */
  onEdit: () => void
}

/** Message field that grows with its text. A key press usually renders only this component again. */
export function MessageField({ ref, handle, onEdit, ...attributes }: MessageFieldProps) {
  const id = useId()
  const { value, startsAtEdges, placeCaret, onClick, onChange, endComposition } = useMessageField(ref)
  useImperativeHandle(handle, () => ({ endComposition }))
  useFieldText(ref, value)
  return (
    <div className="field message-field composer-text" data-floating="true" data-text={value}>
      <textarea
        {...attributes}
        ref={ref}
        defaultValue=""
        data-starts-at-edges={startsAtEdges || undefined}
        onChange={(event) => {
          onEdit()
          onChange(event)
        }}
        onCompositionEnd={endComposition}
        id={id}
        name="message"
        placeholder="Message"
        rows={1}
        className="field-input"
        dir="auto"
        maxLength={maxFieldUnits}
        autoComplete="off"
        enterKeyHint="send"
        onClick={onClick}
        onKeyDown={(event) => {
          if (movesCaret(event)) placeCaret()
          submitOnEnter(event)
        }}
      />
      <label htmlFor={id} className="field-label">
        Message
      </label>
    </div>
  )
}
