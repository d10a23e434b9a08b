import type { Room } from '../harness/room.ts'

/** Opens so many connections before anything is said, and sees what of them is held and what each takes. */
export async function fillRoom(room: Room, connections: number, note: (text: string) => void) {
  note('memory before')
  const emptyBytes = await room.server.settledBytes()
  note(`${connections} connections`)
  await room.resize(connections)
  const heldBytes = await room.server.settledBytes()
  const held = await Promise.all(room.fleets.map((fleet) => fleet.call('state', null)))
  return {
    heldConnections: held.reduce((sum, { open }) => sum + open, 0),
    bytesPerConnection: (heldBytes - emptyBytes) / connections,
  }
}
