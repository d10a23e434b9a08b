/**
 * Whoever asks while a question is under way shares the next one with all others who do: its answer was true after each
 * of them asked, and a crowd costs no more than two questions.
 */
export function singleFlight<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let underWay: Promise<unknown> = Promise.resolve()
  let next: Promise<Answer> | null = null

  function begin(): Promise<Answer> {
    next = null
    const answer = ask()
    underWay = answer.catch(() => undefined)
    return answer
  }

  return () => (next ??= underWay.then(begin))
}
