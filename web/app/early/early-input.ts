/** What was pressed before the application was there; made by `remember-presses.ts`. */
export interface EarlyPresses {
  /** The text of the form's message field at each press. */
  readonly forms: Map<HTMLFormElement, readonly string[]>
  /** Forms that act on a press by themselves now. */
  readonly live: WeakSet<HTMLFormElement>
  /** Buttons that open, fold or show something, in the order of the clicks; `null` once they act by themselves. */
  clicked: HTMLButtonElement[] | null
}

declare global {
  interface Window {
    earlyPresses?: EarlyPresses
  }
}

/** From now on the form acts on presses by itself; what was pressed before is its to make up for. */
export function takeEarlyPresses(form: HTMLFormElement): readonly string[] {
  const { forms, live } = window.earlyPresses ?? {}
  live?.add(form)
  const presses = forms?.get(form) ?? []
  forms?.delete(form)
  return presses
}

/** Buttons act by themselves from now on; what was clicked before is made up for. */
export function repeatEarlyClicks() {
  const { clicked } = window.earlyPresses ?? {}
  if (window.earlyPresses !== undefined) window.earlyPresses.clicked = null
  // Not inside React's own work: a click on a part that it has not taken over yet makes it do so first.
  queueMicrotask(() => clicked?.forEach((button) => button.click()))
}

/** What somebody typed into a field that was drawn at build time; `null` when it is as it was drawn. */
export function earlyValue(input: HTMLInputElement): string | null {
  return input.value === input.defaultValue ? null : input.value
}
