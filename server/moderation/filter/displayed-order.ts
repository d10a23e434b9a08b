/** Order in which a browser shows the items of a part from left to right. */
type Order = 'as written' | 'letters reversed' | 'runs reversed'

/**
 * Unicode's characters that start a part of a text with its own direction. The orders are correct for letters of the
 * Latin script.
 */
const starts: Readonly<Record<string, Order>> = {
  '\u202a': 'as written',
  '\u202b': 'runs reversed',
  '\u202d': 'as written',
  '\u202e': 'letters reversed',
  '\u2066': 'as written',
  '\u2067': 'runs reversed',
  '\u2068': 'as written',
}
const directionCharacter = /[\u202a-\u202e\u2066-\u2069]/
const endOfEmbedding = '\u202c'
const endOfIsolate = '\u2069'
const isIsolateStart = (character: string) => character >= '\u2066'
const paragraphEnds = new Set('\n\r\u001c\u001d\u001e\u0085\u2029')
/**
 * Maximum number of nested parts of a text with a known order. Unicode's algorithm ignores parts that are nested too
 * deeply, but never one of the first 62 nested parts.
 */
const maxDepth = 60

/** Order in which a browser shows the letters of a text from left to right. */
export type DisplayedOrder = { kind: 'as written' } | { kind: 'nested too deeply' } | { kind: 'other'; text: string }

interface Part {
  order: Order
  isIsolate: boolean
  /** Single letters, or runs of letters and inner parts, as `order` requires. */
  items: string[]
  /** Whether the last item is a run to which the next letter belongs. */
  isInRun: boolean
}

/**
 * Returns the order in which a browser shows the letters of a text from left to right: 'pam' between an override and its
 * end is shown as 'map'.
 */
export function displayedOrder(text: string): DisplayedOrder {
  if (!directionCharacter.test(text)) return { kind: 'as written' }
  const whole: Part = { order: 'as written', isIsolate: false, items: [], isInRun: false }
  const open: Part[] = [whole]
  let openIsolates = 0
  const current = () => open.at(-1) ?? whole

  function close(): void {
    const part = open.pop() ?? whole
    if (part.isIsolate) openIsolates--
    const { items } = current()
    items.push((part.order === 'as written' ? part.items : part.items.toReversed()).join(''))
    current().isInRun = false
  }

  function add(character: string): void {
    const part = current()
    if (part.order === 'runs reversed' && part.isInRun) part.items.push((part.items.pop() ?? '') + character)
    else part.items.push(character)
    part.isInRun = true
  }

  for (const character of text) {
    const order = starts[character]
    if (order !== undefined) {
      if (open.length > maxDepth) return { kind: 'nested too deeply' }
      const isIsolate = isIsolateStart(character)
      if (isIsolate) openIsolates++
      open.push({ order, isIsolate, items: [], isInRun: false })
    } else if (character === endOfEmbedding) {
      if (open.length > 1 && !current().isIsolate) close()
    } else if (character === endOfIsolate) {
      if (openIsolates === 0) continue
      while (!current().isIsolate) close()
      close()
    } else {
      if (paragraphEnds.has(character)) while (open.length > 1) close()
      add(character)
    }
  }
  while (open.length > 1) close()
  return { kind: 'other', text: whole.items.join('') }
}
