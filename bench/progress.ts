const width = 28

function formatMinutes(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** Shows a progress bar on a terminal, and one line per step elsewhere. */
export function createProgress(totalSeconds: number, stream: NodeJS.WriteStream = process.stdout) {
  const startedMs = Date.now()
  let doneSeconds = 0
  let label = ''
  let detail = ''
  let stepSeconds = 0
  let stepStartedMs = startedMs

  function draw(): void {
    if (!stream.isTTY) return
    const inStep = Math.min((Date.now() - stepStartedMs) / 1_000, stepSeconds * 0.95)
    const share = Math.min(1, (doneSeconds + inStep) / totalSeconds)
    const elapsed = (Date.now() - startedMs) / 1_000
    const remaining = share > 0.02 ? (elapsed / share) * (1 - share) : totalSeconds
    const bar = '█'.repeat(Math.round(share * width)).padEnd(width, '░')
    const line = `${bar} ${String(Math.round(share * 100)).padStart(3)} %  ${formatMinutes(elapsed)} elapsed, ${formatMinutes(remaining)} left  ${label} ${detail}`
    stream.write(`\r\u001b[2K${line.slice(0, (stream.columns ?? 120) - 1)}`)
  }

  const timer = setInterval(draw, 200)
  timer.unref()

  return {
    step(text: string, expectedSeconds: number): void {
      label = text
      detail = ''
      stepSeconds = expectedSeconds
      stepStartedMs = Date.now()
      if (!stream.isTTY) stream.write(`${formatMinutes((Date.now() - startedMs) / 1_000)} ${text}\n`)
      draw()
    },
    note(text: string): void {
      detail = text
      draw()
    },
    stepDone(): void {
      doneSeconds += stepSeconds
      stepSeconds = 0
      draw()
    },
    /** Writes a line above the bar. */
    print(text: string): void {
      if (stream.isTTY) stream.write('\r\u001b[2K')
      stream.write(`${text}\n`)
      draw()
    },
    end(): void {
      clearInterval(timer)
      if (stream.isTTY) stream.write('\r\u001b[2K')
    },
  }
}
