/** Result of one performance target. */
export interface Verdict {
  /** True if other processes do not affect the figure, as for bytes and connections. Verdicts on times and CPU omit the field. */
  isLoadIndependent?: true
  metric: string
  target: string
  measured: string
  /** Whether the figure meets the target; null if the figure was not measured or the machine was not quiet. */
  isMet: boolean | null
}

export const notMeasured = 'not measured'
export const notQuietMachine = 'no verdict: other processes used the machine'

export function quotient(above: number | undefined, below: number | undefined): number | null {
  return above === undefined || below === undefined || !(below > 0) ? null : above / below
}

/** Returns the verdict on a ratio. A value of null or NaN counts as not measured. */
export function ratioVerdict(
  metric: string,
  target: string,
  value: number | null,
  meets: (value: number) => boolean,
  detail = '',
): Verdict {
  if (value === null || Number.isNaN(value)) return { metric, target, measured: notMeasured, isMet: null }
  return { metric, target, measured: `${+value.toPrecision(3)} ×${detail}`, isMet: meets(value) }
}
