const tickMs = 50

/**
 * Measures a duration by timer ticks of this process. While a busy machine does not schedule the process, its timers do
 * not tick, so that this time does not count.
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
