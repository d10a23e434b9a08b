/** Says of each number whether it is fine, and remembers when one was not. */
export function createJudge() {
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

export type Judge = ReturnType<typeof createJudge>
