import type { Socket as EngineSocket } from 'engine.io'
import { Writable } from 'node:stream'

/** A heartbeat that may be waiting for a pong. */
export interface AwaitedPong {
  readonly isAwaited: boolean
  onPong: () => void
}

/** Undocumented members of ws's receiver. `library-internals.ts` checks that they are present. */
interface Receiver extends Writable {
  _state: number
  _opcode: number
  _fragmented: number
  _bufferedBytes: number
  awaitedPong?: AwaitedPong
}

const atFrameStart = 0
const closeOpcode = 8

// Engine.IO's pong: a final text frame with one masked byte, '3'. Clients send it alone in a TCP segment.
const finalTextFrame = 0x81
const oneMaskedByte = 0x81
const pongFrameBytes = 7
const enginePong = 0x33

/**
 * Handles the expected pong as it is read from the network. Its path through the streams and events of ws and Engine.IO
 * costs as much as the rest of a heartbeat. An unexpected pong is counted like any other packet.
 */
export function interceptPongs(connection: EngineSocket, awaitedPong: AwaitedPong): void {
  const { socket: webSocket } = connection.transport as { socket?: { _receiver?: Receiver | null } }
  const receiver = webSocket?._receiver
  if (receiver) Object.assign(receiver, { awaitedPong, write: writeOrTakePong })
}

// Shared by all receivers. ws calls it with each chunk that it reads.
function writeOrTakePong(this: Receiver, chunk: Buffer): boolean {
  if (this.awaitedPong?.isAwaited === true && isPong(chunk) && isAtFrameStart(this)) {
    this.awaitedPong.onPong()
    return true
  }
  return (Writable.prototype.write as (this: Writable, chunk: Buffer) => boolean).call(this, chunk)
}

function isPong(chunk: Buffer): boolean {
  return (
    chunk.length === pongFrameBytes &&
    chunk[0] === finalTextFrame &&
    chunk[1] === oneMaskedByte &&
    ((chunk[2] as number) ^ (chunk[6] as number)) === enginePong
  )
}

/** Whether the receiver has no buffered input, no partial message and no close frame. */
function isAtFrameStart(receiver: Receiver): boolean {
  return (
    receiver._state === atFrameStart &&
    receiver._bufferedBytes === 0 &&
    receiver._fragmented === 0 &&
    receiver._opcode !== closeOpcode &&
    receiver.writableLength === 0 &&
    receiver.writable
  )
}
