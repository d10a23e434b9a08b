/** What is turned away while the event loop is late: logins and registrations first, new connections next. */
export type Pressure = 'none' | 'shed-logins' | 'shed-connections'

const sampleEveryMs = 50
/** Of so many turns of the loop more than half must be late: one long pause is no overload. */
const turnsJudged = 5

/** Established chat needs no level of its own: the room refuses by itself when it is full. */
const shedLoginsAboveMs = 100
const shedConnectionsAboveMs = 400

/**
 * The level that these delays stand for. One is left only at half of what brought it on: at the very threshold it would
 * come and go with every turn.
 */
export function pressureAt(delaysMs: readonly number[], before: Pressure): Pressure {
  const typicalMs = delaysMs.toSorted((a, b) => a - b)[Math.floor(delaysMs.length / 2)] ?? 0
  const held = before === 'shed-connections' ? 0.5 : 1
  const heldToo = before === 'none' ? 1 : 0.5
  if (typicalMs > shedConnectionsAboveMs * held) return 'shed-connections'
  return typicalMs > shedLoginsAboveMs * heldToo ? 'shed-logins' : 'none'
}

/** Watches how late the event loop's turns are. */
export function watchPressure(onChange: (level: Pressure) => void) {
  let level: Pressure = 'none'
  let delaysMs: number[] = []
  let sampledAt = performance.now()

  const timer = setInterval(() => {
    const now = performance.now()
    delaysMs = [...delaysMs, Math.max(0, now - sampledAt - sampleEveryMs)].slice(-turnsJudged)
    sampledAt = now
    const next = delaysMs.length < turnsJudged ? level : pressureAt(delaysMs, level)
    if (next === level) return
    level = next
    onChange(level)
  }, sampleEveryMs).unref()

  return {
    level: () => level,
    stop: () => clearInterval(timer),
  }
}

export type PressureWatch = ReturnType<typeof watchPressure>
