import { appPeer } from './app-peer.ts'
import { nativePeers } from './native-peers.ts'
import { nodePeers } from './node-peers.ts'
import { type Peer, type PeerId, peerIds } from './peer.ts'

const byId = new Map<PeerId, Peer>([appPeer, ...nodePeers, ...nativePeers].map((peer) => [peer.id, peer]))

export function findPeer(id: PeerId): Peer {
  const peer = byId.get(id)
  if (peer === undefined) throw new Error(`Unknown peer ${id}`)
  return peer
}

export const allPeers = peerIds.map(findPeer)
