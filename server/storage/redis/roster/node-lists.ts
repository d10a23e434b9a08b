/** One step of a node's list, from version to version. Without `joined` and `left` the whole list is new: read it. */
export interface NodeDelta {
  node: string
  from: number
  version: number
  joined?: readonly string[]
  left?: readonly string[]
}

export interface NodeList {
  version: number
  ids: readonly string[]
}

/** What follows from something heard: ids that came and went, and nodes whose lists have to be read. */
export interface Outcome {
  joined: string[]
  left: string[]
  read: string[]
}

interface Known {
  ids: Set<string>
  /** Of `ids`; -1 until the list has been read. */
  version: number
  /** The newest that was heard of. */
  wanted: number
  /** The beat that was the newest when this node was first heard of. */
  firstHeardIn: number
}

const unread = -1

/**
 * What this node knows of the others' lists. No clock and no network: whatever is heard, in whatever order, leads to
 * the lists that the nodes have.
 */
export function createNodeLists() {
  const nodes = new Map<string, Known>()
  let beats = 0

  function know(node: string, wanted: number): Known {
    const known = { ids: new Set<string>(), version: unread, wanted, firstHeardIn: beats }
    nodes.set(node, known)
    return known
  }

  function forget(node: string): string[] {
    const ids = nodes.get(node)?.ids ?? []
    nodes.delete(node)
    return [...ids]
  }

  return {
    /** A change that a node told all others. */
    heard({ node, from, version, joined, left }: NodeDelta): Outcome {
      const known = nodes.get(node)
      if (known === undefined) {
        know(node, version)
        return { joined: [], left: [], read: [node] }
      }
      if (version <= known.version) return nothing()
      known.wanted = Math.max(known.wanted, version)
      if (from !== known.version || joined === undefined || left === undefined) return { ...nothing(), read: [node] }
      known.version = version
      return replaceIn(known.ids, joined, left)
    },

    /** Before the store is asked who is alive: what is first heard of after this may be missing in the answer. */
    beatSent: () => ++beats,

    /** Who is alive, with the versions, as answered to this beat. */
    beatAnswered(beat: number, versions: ReadonlyMap<string, number>): Outcome {
      const outcome = nothing()
      for (const [node, { firstHeardIn }] of nodes) {
        if (!versions.has(node) && firstHeardIn < beat) outcome.left.push(...forget(node))
      }
      for (const [node, version] of versions) {
        const known = nodes.get(node) ?? know(node, version)
        known.wanted = Math.max(known.wanted, version)
        if (known.version === unread) outcome.read.push(node)
      }
      return outcome
    },

    /** A node's list as it was read; `null`: the store has none, so the node is gone. */
    wasRead(node: string, list: NodeList | null): Outcome {
      const known = nodes.get(node)
      if (known === undefined) return nothing()
      if (list === null) return { ...nothing(), left: forget(node) }
      // Overtaken by changes that were heard meanwhile.
      if (list.version < known.version) return nothing()
      const now = new Set(list.ids)
      const outcome = replaceIn(
        known.ids,
        list.ids.filter((id) => !known.ids.has(id)),
        [...known.ids].filter((id) => !now.has(id)),
      )
      known.version = list.version
      return outcome
    },

    /** A node said that it goes. */
    gone: (node: string): Outcome => ({ ...nothing(), left: forget(node) }),

    /** Nothing was heard for so long that nothing is known any more. */
    forgetAll: (): Outcome => ({ ...nothing(), left: [...nodes.keys()].flatMap(forget) }),

    /**
     * Nodes that have told more than has been heard. Not to be read at once, again and again: what is on its way comes by
     * itself, and a store that was put back holds less than it had told until its nodes notice.
     */
    behind: (): string[] => [...nodes].filter(([, { version, wanted }]) => version < wanted).map(([node]) => node),
  }
}

function nothing(): Outcome {
  return { joined: [], left: [], read: [] }
}

/** The changes that are ones: a list that was read may have shown them already. */
function replaceIn(ids: Set<string>, joining: readonly string[], leaving: readonly string[]): Outcome {
  const outcome = nothing()
  for (const id of joining) {
    if (ids.has(id)) continue
    ids.add(id)
    outcome.joined.push(id)
  }
  for (const id of leaving) if (ids.delete(id)) outcome.left.push(id)
  return outcome
}
