export type Random = ReturnType<typeof createRandom>

/** Creates a seeded generator (sfc32). The same seed gives the same numbers, so a developer can repeat a failed run. */
export function createRandom(seed: string) {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1]
  for (const character of seed) a = Math.imul(a ^ (character.codePointAt(0) ?? 0), 0x01000193)

  function nextWord(): number {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  // Discard the first numbers, because the first numbers of similar seeds are correlated.
  for (let round = 0; round < 16; round++) nextWord()

  const fraction = () => nextWord() / 2 ** 32
  const whole = (min: number, max: number) => min + Math.floor(fraction() * (max - min + 1))

  function pick<Item>(items: readonly Item[]): Item {
    const item = items[whole(0, items.length - 1)]
    if (item === undefined) throw new Error('cannot pick from an empty list')
    return item
  }

  function shuffle<Item>(items: readonly Item[]): Item[] {
    const rest = [...items]
    const shuffled: Item[] = []
    while (rest.length > 0) shuffled.push(...rest.splice(whole(0, rest.length - 1), 1))
    return shuffled
  }

  /** Returns a function that draws without replacement and reshuffles when all items are drawn. */
  function drawFrom<Item>(items: readonly Item[]): () => Item {
    let left: Item[] = []
    return () => {
      if (left.length === 0) left = shuffle(items)
      const item = left.pop()
      if (item === undefined) throw new Error('no items to draw from')
      return item
    }
  }

  return { whole, pick, shuffle, drawFrom, chance: (probability: number) => fraction() < probability }
}
