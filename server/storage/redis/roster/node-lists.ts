/** Change of a node's list from one version to another. Without `joined` and `left`, the whole list has to be read. */
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

/** Effect of an event: ids that joined and left, and nodes whose lists have to be read. */
export interface Effect {
  joined: string[]
  left: string[]
  read: string[]
}

interface NodeState {
  ids: Set<string>
  /** Version of `ids`; `unread` until the list has been read. */
  version: number
  /** Newest version in a change or a heartbeat. */
  newestVersion: number
  /** Number of the last heartbeat that this node sent before it discovered the other node. */
  discoveredAfterHeartbeat: number
}

const unread = -1

/**
 * Creates the lists of the other nodes, as this node has read them. The module uses neither clock nor network. The lists
 * converge to those of the nodes, whatever the order of the events.
 */
export function createNodeLists() {
  const nodes = new Map<string, NodeState>()
  let heartbeats = 0

  function discover(node: string, newestVersion: number): NodeState {
    const known = { ids: new Set<string>(), version: unread, newestVersion, discoveredAfterHeartbeat: heartbeats }
    nodes.set(node, known)
    return known
  }

  function remove(node: string): string[] {
    const ids = nodes.get(node)?.ids ?? []
    nodes.delete(node)
    return [...ids]
  }

  return {
    /** Applies a change that a node published. */
    applyDelta({ node, from, version, joined, left }: NodeDelta): Effect {
      const known = nodes.get(node)
      if (known === undefined) {
        discover(node, version)
        return { joined: [], left: [], read: [node] }
      }
      if (version <= known.version) return noEffect()
      known.newestVersion = Math.max(known.newestVersion, version)
      if (from !== known.version || joined === undefined || left === undefined) return { ...noEffect(), read: [node] }
      known.version = version
      return updateIds(known.ids, joined, left)
    },

    /** Returns the number of a new heartbeat. Its reply may lack nodes that are discovered after this call. */
    startHeartbeat: () => ++heartbeats,

    /** Applies the reply to a heartbeat: the version of each live node. */
    applyHeartbeat(heartbeat: number, versions: ReadonlyMap<string, number>): Effect {
      const effect = noEffect()
      for (const [node, { discoveredAfterHeartbeat }] of nodes) {
        if (!versions.has(node) && discoveredAfterHeartbeat < heartbeat) effect.left.push(...remove(node))
      }
      for (const [node, version] of versions) {
        const known = nodes.get(node) ?? discover(node, version)
        known.newestVersion = Math.max(known.newestVersion, version)
        if (known.version === unread) effect.read.push(node)
      }
      return effect
    },

    /** Applies the list of a node. Removes a node that has no list (`null`). */
    applyList(node: string, list: NodeList | null): Effect {
      const known = nodes.get(node)
      if (known === undefined) return noEffect()
      if (list === null) return { ...noEffect(), left: remove(node) }
      // Newer changes were applied while the list was read.
      if (list.version < known.version) return noEffect()
      const listed = new Set(list.ids)
      const effect = updateIds(
        known.ids,
        list.ids.filter((id) => !known.ids.has(id)),
        [...known.ids].filter((id) => !listed.has(id)),
      )
      known.version = list.version
      return effect
    },

    removeNode: (node: string): Effect => ({ ...noEffect(), left: remove(node) }),

    removeAllNodes: (): Effect => ({ ...noEffect(), left: [...nodes.keys()].flatMap(remove) }),

    /**
     * Returns the nodes whose newest version has not been applied. Do not read their lists at once: a change in transit
     * still arrives, and a restored store is behind the published versions until the nodes publish again.
     */
    behind: (): string[] =>
      [...nodes].filter(([, { version, newestVersion }]) => version < newestVersion).map(([node]) => node),
  }
}

function noEffect(): Effect {
  return { joined: [], left: [], read: [] }
}

/** Updates `ids` and returns only real changes: a list that was read may already contain a later delta. */
function updateIds(ids: Set<string>, joining: readonly string[], leaving: readonly string[]): Effect {
  const effect = noEffect()
  for (const id of joining) {
    if (ids.has(id)) continue
    ids.add(id)
    effect.joined.push(id)
  }
  for (const id of leaving) if (ids.delete(id)) effect.left.push(id)
  return effect
}
