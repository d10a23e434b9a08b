interface Check {
  what: string
  value: number
  max: number
}

const rounded = (value: number) => Number(value.toFixed(1))

/** Prints whether values are within their limits and records failures. */
export function createLimitReport() {
  const failures: string[] = []

  /**
   * Prints one line with several values and whether they are within their limits. The values in `more` have no limit.
   */
  function judge(name: string, checks: readonly Check[], more: readonly string[] = []): void {
    // `NaN`, the percentile of no values, is not within a limit.
    const exceeded = checks.filter(({ value, max }) => !(value <= max))
    const line = `${name}: ${[...checks.map(({ what, value }) => `${what} ${rounded(value)}`), ...more].join(', ')}`
    console.log(`${exceeded.length === 0 ? 'ok  ' : 'FAIL'} ${line}`)
    if (exceeded.length === 0) return
    failures.push(`${line} (${exceeded.map(({ what, max }) => `${what}: at most ${max}`).join(', ')})`)
  }

  return {
    judge,
    atMost: (name: string, value: number, max: number, unit: string) => judge(name, [{ what: unit, value, max }]),
    /** Prints the lines of failures again. Returns whether there are failures. */
    hasFailed(): boolean {
      for (const line of failures) console.log(`FAIL ${line}`)
      return failures.length > 0
    },
  }
}

export type LimitReport = ReturnType<typeof createLimitReport>
