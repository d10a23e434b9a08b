/** One line of the issue: what it asks, what was measured. `met` is null where this run did not measure it. */
export interface Verdict {
  /** Bytes or connections, which other programs on the machine hardly change; times and CPU they do. */
  counted?: true
  what: string
  target: string
  measured: string
  met: boolean | null
}

export const notMeasured = 'not measured in this run'
export const notQuiet = 'not judged: the machine was not quiet'

export function quotient(above: number | undefined, below: number | undefined): number | null {
  return above === undefined || below === undefined || !(below > 0) ? null : above / below
}

/** A verdict on a quotient; null where one of its figures is missing. */
export function ratio(
  what: string,
  target: string,
  value: number | null,
  meets: (value: number) => boolean,
  detail = '',
): Verdict {
  if (value === null || Number.isNaN(value)) return { what, target, measured: notMeasured, met: null }
  return { what, target, measured: `${+value.toPrecision(3)} ×${detail}`, met: meets(value) }
}
