/** Resolves after a delay. The timer does not keep the process running. */
export const unrefSleep = (delayMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, delayMs).unref())
