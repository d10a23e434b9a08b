const tickMs = 50

/**
 * How long something takes, in time that this process had: while a busy machine keeps it from running, its timers do not
 * tick, and what it waits for has no chance to come either.
 */
export async function measureAwakeMs(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0
  const ticking = setInterval(() => ticks++, tickMs)
  try {
    await work()
  } finally {
    clearInterval(ticking)
  }
  return ticks * tickMs
}
