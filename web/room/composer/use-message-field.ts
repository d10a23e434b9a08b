import { type ChangeEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useRoomActions, useSender } from '../../connection/hooks.ts'
import { classifyFieldChange, type SelectionRange } from './field-change.ts'

/** A text that is being composed (by an input method) where a message that was pressed still stands. */
interface Composition {
  readonly shownText: string
  readonly selection: SelectionRange | null
  readonly text: string
}

/**
 * The message field. It shows what was pressed until that is acknowledged; whoever types on gets a field of their own.
 * Only a composition is left alone until it ends, since a field that changes under an input method garbles the text.
 */
export function useMessageField(ref: RefObject<HTMLInputElement | null>) {
  const { draft, fieldMessageId } = useSender()
  const { setDraft } = useRoomActions()
  const selectionBeforeInput = useRef<SelectionRange | null>(null)
  const [composition, setComposition] = useState<Composition | null>(null)

  useEffect(() => {
    const input = ref.current
    const saveSelection = () => {
      const { selectionStart: start = null, selectionEnd: end = null } = input ?? {}
      selectionBeforeInput.current = start === null || end === null ? null : { start, end }
    }
    input?.addEventListener('beforeinput', saveSelection)
    return () => input?.removeEventListener('beforeinput', saveSelection)
  }, [ref])

  const applyChange = (shown: string, before: SelectionRange | null, next: string) => {
    const { draft: fresh, isRevision } = classifyFieldChange(shown, before, next)
    setDraft(fresh, isRevision)
  }

  const endComposition = () => {
    if (composition === null) return
    setComposition(null)
    applyChange(composition.shownText, composition.selection, composition.text)
  }

  return {
    value: composition?.text ?? draft,
    endComposition,
    onChange: ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
      const text = target.value
      if (composition !== null) setComposition({ ...composition, text })
      else if (fieldMessageId === null) setDraft(text)
      else if (nativeEvent instanceof InputEvent && nativeEvent.isComposing) {
        setComposition({ shownText: draft, selection: selectionBeforeInput.current, text })
      } else applyChange(draft, selectionBeforeInput.current, text)
    },
  }
}
