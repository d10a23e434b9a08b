/** User input before hydration. `record-early-input.ts` creates this object. */
export interface EarlyInput {
  /** Text of the form's message field at each submit; '' for a form without this field. */
  readonly submits: Map<HTMLFormElement, readonly string[]>
  /** Forms whose submits React already handles. */
  readonly hydratedForms: WeakSet<HTMLFormElement>
  /** Clicked buttons of type `button`, in order; `null` after hydration. */
  clicks: HTMLButtonElement[] | null
}

declare global {
  interface Window {
    earlyInput?: EarlyInput
  }
}

/** Marks a form as hydrated and returns the field texts of its earlier submits. */
export function takeEarlySubmits(form: HTMLFormElement): readonly string[] {
  const { submits, hydratedForms } = window.earlyInput ?? {}
  hydratedForms?.add(form)
  const texts = submits?.get(form) ?? []
  submits?.delete(form)
  return texts
}

/** Stops recording clicks and repeats the recorded clicks. */
export function replayEarlyClicks() {
  const { clicks } = window.earlyInput ?? {}
  if (window.earlyInput !== undefined) window.earlyInput.clicks = null
  // Repeat the clicks outside React's commit: a click on a part that is not hydrated yet makes React hydrate that part first.
  queueMicrotask(() => clicks?.forEach((button) => button.click()))
}

/** Returns the text typed into a prerendered field; `null` when the field is unchanged. */
export function earlyValue(input: HTMLInputElement | HTMLTextAreaElement): string | null {
  return input.value === input.defaultValue ? null : input.value
}
