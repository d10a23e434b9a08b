import { type ChangeEvent, type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useRoomActions, useSender } from '../../connection/hooks.ts'
import { fieldMessage, isReplaceable, type Sender } from '../../connection/send/sender.ts'
import { classifyFieldChange, type SelectionRange } from './field-change.ts'

/** Input method composition that started while the field showed a submitted message. */
interface Composition {
  readonly shownText: string
  readonly selection: SelectionRange | null
  readonly text: string
}

function canReplaceFieldMessage(sender: Sender): boolean {
  const message = fieldMessage(sender)
  return message !== undefined && isReplaceable(message)
}

/**
 * Returns the state of the message field. The field shows a submitted message until the server acknowledges it or the
 * user changes the text. Text typed right after a submit starts a new message. The first click selects the whole
 * submitted message, so text typed then starts a new message too. After the user has placed the caret in a message that
 * can still be replaced, typed text corrects that message. The hook does not change the field during an input method
 * composition: a changed value garbles the composed text.
 */
export function useMessageField(ref: RefObject<HTMLTextAreaElement | null>) {
  const draft = useSender((sender) => sender.draft)
  const fieldMessageId = useSender((sender) => sender.fieldMessageId)
  const canReplace = useSender(canReplaceFieldMessage)
  const { setDraft } = useRoomActions()
  const selectionBeforeInput = useRef<SelectionRange | null>(null)
  const [composition, setComposition] = useState<Composition | null>(null)
  /** Id of the submitted message in which the user has placed the caret. */
  const [caretMessageId, setCaretMessageId] = useState<string | null>(null)
  /** Id of the submitted message that a click has selected. */
  const selectedMessageId = useRef<string | null>(null)
  const isSubmitted = fieldMessageId !== null
  const startsAtEdges = isSubmitted && !(canReplace && caretMessageId === fieldMessageId)

  useEffect(() => {
    const input = ref.current
    const saveSelection = () => {
      const { selectionStart: start = null, selectionEnd: end = null } = input ?? {}
      selectionBeforeInput.current = start === null || end === null ? null : { start, end }
    }
    input?.addEventListener('beforeinput', saveSelection)
    return () => input?.removeEventListener('beforeinput', saveSelection)
  }, [ref])

  const placeCaret = () => setCaretMessageId(fieldMessageId)

  const applyChange = (shownText: string, selection: SelectionRange | null, next: string) => {
    const { draft: newDraft, isRevision } = classifyFieldChange(shownText, selection, next, startsAtEdges)
    setDraft(newDraft, isRevision)
  }

  const endComposition = () => {
    if (composition === null) return
    setComposition(null)
    applyChange(composition.shownText, composition.selection, composition.text)
  }

  return {
    value: composition?.text ?? draft,
    /** Whether text typed at the start or the end of the field starts a new message. */
    startsAtEdges,
    /** Records that the user has placed the caret in the text by a key. */
    placeCaret,
    /** Selects a submitted message at the first click. A later click places the caret. */
    onClick: ({ currentTarget: field, nativeEvent }: MouseEvent<HTMLTextAreaElement, PointerEvent>) => {
      if (!isSubmitted || caretMessageId === fieldMessageId) return
      const selectedLength = field.selectionEnd - field.selectionStart
      const isFirst = selectedMessageId.current !== fieldMessageId
      selectedMessageId.current = fieldMessageId
      if (isFirst && selectedLength === 0) return field.select()
      // A tap on selected text keeps the selection.
      if (!isFirst && selectedLength === draft.length && nativeEvent.pointerType !== 'mouse')
        field.setSelectionRange(draft.length, draft.length)
      placeCaret()
    },
    endComposition,
    onChange: ({ target, nativeEvent }: ChangeEvent<HTMLTextAreaElement>) => {
      const text = target.value
      if (composition !== null) setComposition({ ...composition, text })
      else if (fieldMessageId === null) setDraft(text)
      else if (nativeEvent instanceof InputEvent && nativeEvent.isComposing) {
        setComposition({ shownText: draft, selection: selectionBeforeInput.current, text })
      } else applyChange(draft, selectionBeforeInput.current, text)
    },
  }
}
