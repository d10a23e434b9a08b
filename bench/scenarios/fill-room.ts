import type { Room } from '../harness/room.ts'

/** Opens connections in an empty room. Returns how many are open and the average memory of a connection. */
export async function fillRoom(room: Room, connections: number, note: (text: string) => void) {
  note('memory of the empty server')
  const emptyBytes = await room.server.bytesAfterGc()
  note(`${connections} connections`)
  await room.resize(connections)
  const fullBytes = await room.server.bytesAfterGc()
  const states = await Promise.all(room.fleets.map((fleet) => fleet.call('state', null)))
  return {
    openConnections: states.reduce((sum, { open }) => sum + open, 0),
    bytesPerConnection: (fullBytes - emptyBytes) / connections,
  }
}
