import { messageField } from '../../shell/route-focus.tsx'

/** Replaces a part of the message field as if the user had typed the text, and focuses the field. */
function insert(field: HTMLTextAreaElement, text: string, start: number, end: number) {
  field.focus()
  field.setSelectionRange(start, end)
  // `useMessageField` saves the selection at this event.
  field.dispatchEvent(new InputEvent('beforeinput', { bubbles: true }))
  field.setRangeText(text, start, end, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}

/** Scrolls to a caret at the end of the text, after the field has its new height. Browsers scroll only for typed text. */
function revealCaretAtEnd(field: HTMLTextAreaElement) {
  requestAnimationFrame(() => {
    if (field.selectionStart === field.value.length) field.scrollTop = field.scrollHeight
  })
}

/**
 * Inserts a text at the caret of the message field, or in place of the selected text. `textFor` gets the text before the
 * caret, or '' at the end of a submitted message, where the inserted text starts a new message.
 */
export function insertAtCaret(textFor: (textBefore: string) => string) {
  const field = messageField()
  if (field === null) return
  const { selectionStart, selectionEnd, value } = field
  const isNewMessage = field.dataset['startsAtEdges'] === 'true' && selectionStart === value.length
  insert(field, textFor(isNewMessage ? '' : value.slice(0, selectionStart)), selectionStart, selectionEnd)
  revealCaretAtEnd(field)
}

/** Inserts a text in front of the text in the message field, and puts the caret at the end. */
export function insertAtStart(text: string) {
  const field = messageField()
  if (field === null) return
  insert(field, text, 0, 0)
  field.setSelectionRange(field.value.length, field.value.length)
  revealCaretAtEnd(field)
}
