/** What was pressed before the application was there; made by `remember-presses.ts`. */
export interface EarlyPresses {
  /** The text of the form's message field at each press. */
  readonly forms: Map<HTMLFormElement, readonly string[]>
  /** Forms that act on a press by themselves now. */
  readonly live: WeakSet<HTMLFormElement>
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

/** What somebody typed into a field that was drawn at build time; `null` when it is as it was drawn. */
export function earlyValue(input: HTMLInputElement): string | null {
  return input.value === input.defaultValue ? null : input.value
}
