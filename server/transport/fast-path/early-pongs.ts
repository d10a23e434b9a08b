import type { Socket as EngineSocket } from 'engine.io'
import { Writable } from 'node:stream'

/** A heartbeat that may be waiting for its answer. */
export interface AwaitedPong {
  readonly isAwaited: boolean
  onPong: () => void
}

/** What is used here of ws beyond what it documents; `internals.ts` looks whether it is there. */
interface Receiver extends Writable {
  _state: number
  _opcode: number
  _fragmented: number
  _bufferedBytes: number
  awaitedPong?: AwaitedPong
}

const atFrameStart = 0
const closeOpcode = 8

// A final text frame of one masked byte, Engine.IO's '3', as every client sends it: alone in its segment.
const finalTextFrame = 0x81
const oneMaskedByte = 0x81
const pongFrameBytes = 7
const enginePong = 0x33

/**
 * Takes the answer to a ping right from the network. On its way through ws's and Engine.IO's streams, turns and events
 * it costs as much as all the rest of a beat. Only the one that is owed: any other is counted and judged like a packet.
 */
export function interceptPongs(connection: EngineSocket, awaitedPong: AwaitedPong): void {
  const { socket: webSocket } = connection.transport as { socket?: { _receiver?: Receiver | null } }
  const receiver = webSocket?._receiver
  if (receiver) Object.assign(receiver, { awaitedPong, write: writeOrTakePong })
}

// Shared by all receivers: ws calls it with each chunk that was read.
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

/** Nothing that came before waits here, no message is half there, and none is refused. */
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
