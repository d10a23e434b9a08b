/** Prints whether each value is within its limit and records failures. */
export function createLimitReport() {
  let failed = false
  return {
    atMost(what: string, value: number, max: number, unit: string): void {
      const ok = value <= max
      failed ||= !ok
      console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}: ${value.toFixed(1)} ${unit} (at most ${max})`)
    },
    hasFailed: () => failed,
  }
}

export type LimitReport = ReturnType<typeof createLimitReport>
