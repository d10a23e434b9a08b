/** What was pressed before the application was there; made by `remember-presses.ts`. */
export interface EarlyInput {
  /** The text of the form's message field at each press. */
  readonly submits: Map<HTMLFormElement, readonly string[]>
  /** Forms that act on a press by themselves now. */
  readonly hydratedForms: WeakSet<HTMLFormElement>
  /** Buttons that open, fold or show something, in the order of the clicks; `null` once they act by themselves. */
  clicks: HTMLButtonElement[] | null
}

declare global {
  interface Window {
    earlyInput?: EarlyInput
  }
}

/** From now on the form acts on presses by itself; what was pressed before is its to make up for. */
export function takeEarlySubmits(form: HTMLFormElement): readonly string[] {
  const { submits, hydratedForms } = window.earlyInput ?? {}
  hydratedForms?.add(form)
  const presses = submits?.get(form) ?? []
  submits?.delete(form)
  return presses
}

/** Buttons act by themselves from now on; what was clicked before is made up for. */
export function replayEarlyClicks() {
  const { clicks } = window.earlyInput ?? {}
  if (window.earlyInput !== undefined) window.earlyInput.clicks = null
  // Not inside React's own work: a click on a part that it has not taken over yet makes it do so first.
  queueMicrotask(() => clicks?.forEach((button) => button.click()))
}

/** What somebody typed into a field that was drawn at build time; `null` when it is as it was drawn. */
export function earlyValue(input: HTMLInputElement): string | null {
  return input.value === input.defaultValue ? null : input.value
}
