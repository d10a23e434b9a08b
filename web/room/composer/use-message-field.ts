import { type ChangeEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useRoomActions, useSender } from '../../connection/hooks.ts'
import { changeOnTop, type Selected } from './field-change.ts'

/** A text that is being composed (by an input method) where a message that was pressed still stands. */
interface Composition {
  readonly shown: string
  readonly selected: Selected | null
  readonly text: string
}

/**
 * The message field. It shows what was pressed until that is acknowledged; whoever types on gets a field of their own.
 * Only a composition is left alone until it ends, since a field that changes under an input method garbles the text.
 */
export function useMessageField(ref: RefObject<HTMLInputElement | null>) {
  const { draft, fieldMessageId } = useSender()
  const { setDraft } = useRoomActions()
  const selected = useRef<Selected | null>(null)
  const [composition, setComposition] = useState<Composition | null>(null)

  useEffect(() => {
    const input = ref.current
    const beforeInput = () => {
      const { selectionStart: start = null, selectionEnd: end = null } = input ?? {}
      selected.current = start === null || end === null ? null : { start, end }
    }
    input?.addEventListener('beforeinput', beforeInput)
    return () => input?.removeEventListener('beforeinput', beforeInput)
  }, [ref])

  const change = (shown: string, before: Selected | null, next: string) => {
    const { draft: fresh, reworked } = changeOnTop(shown, before, next)
    setDraft(fresh, reworked)
  }

  const endComposition = () => {
    if (composition === null) return
    setComposition(null)
    change(composition.shown, composition.selected, composition.text)
  }

  return {
    value: composition?.text ?? draft,
    endComposition,
    onChange: ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
      const text = target.value
      if (composition !== null) setComposition({ ...composition, text })
      else if (fieldMessageId === null) setDraft(text)
      else if (nativeEvent instanceof InputEvent && nativeEvent.isComposing) {
        setComposition({ shown: draft, selected: selected.current, text })
      } else change(draft, selected.current, text)
    },
  }
}
