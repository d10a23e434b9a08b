export interface Pattern<Value> {
  letters: readonly string[]
  value: Value
}

interface Node<Value> {
  readonly next: Map<string, Node<Value>>
  /** Failure link: node of the longest proper suffix that is a prefix of a pattern. */
  failureLink: Node<Value> | null
  /** Patterns that end at this node. */
  readonly patterns: Pattern<Value>[]
  /** Output link: nearest node on the chain of failure links at which a pattern ends. */
  outputLink: Node<Value> | null
}

const createNode = <Value>(): Node<Value> => ({ next: new Map(), failureLink: null, patterns: [], outputLink: null })

/**
 * Creates a search for many patterns at once (Aho–Corasick). The number of steps is linear in the number of letters, plus
 * the number of matches. The search calls `onMatch` with each match until `onMatch` returns true. It returns whether
 * `onMatch` has returned true.
 */
export function createMatcher<Value>(patterns: readonly Pattern<Value>[]) {
  const root = createNode<Value>()
  for (const pattern of patterns) {
    if (pattern.letters.length > 0) nodeOf(root, pattern.letters).patterns.push(pattern)
  }
  setLinks(root)

  return (
    letters: readonly string[],
    onMatch: (pattern: Pattern<Value>, start: number, end: number) => boolean,
  ): boolean => {
    let node = root
    for (const [index, letter] of letters.entries()) {
      while (node !== root && !node.next.has(letter)) node = node.failureLink ?? root
      node = node.next.get(letter) ?? root
      for (let ending: Node<Value> | null = node; ending !== null; ending = ending.outputLink) {
        for (const pattern of ending.patterns) {
          if (onMatch(pattern, index + 1 - pattern.letters.length, index + 1)) return true
        }
      }
    }
    return false
  }
}

function nodeOf<Value>(root: Node<Value>, letters: readonly string[]): Node<Value> {
  let node = root
  for (const letter of letters) {
    let next = node.next.get(letter)
    if (next === undefined) {
      next = createNode<Value>()
      node.next.set(letter, next)
    }
    node = next
  }
  return node
}

/** Sets the links of all nodes. Visits the nodes by depth, because the failure link of a node is nearer to the root. */
function setLinks<Value>(root: Node<Value>): void {
  let level = [root]
  while (level.length > 0) {
    const nextLevel: Node<Value>[] = []
    for (const node of level) {
      for (const [letter, child] of node.next) {
        let failureLink = node.failureLink
        while (failureLink !== null && !failureLink.next.has(letter)) failureLink = failureLink.failureLink
        child.failureLink = failureLink?.next.get(letter) ?? root
        child.outputLink = child.failureLink.patterns.length > 0 ? child.failureLink : child.failureLink.outputLink
        nextLevel.push(child)
      }
    }
    level = nextLevel
  }
}
