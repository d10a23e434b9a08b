// This worker thread connects and sends as fast as possible until it receives `stop`.

import { parentPort, workerData } from 'node:worker_threads'
import { io, type Socket } from 'socket.io-client'
import { events } from '../../../contract/events.ts'
import type { SendAck } from '../../../contract/messages.ts'

const { url, address, connections } = workerData as { url: string; address: string; connections: number }
const tally = { accepted: 0, rejected: 0, closed: 0, connectRejected: 0, reasons: {} as Record<string, number> }
let isStopped = false

function countReason(reason: string): void {
  tally.reasons[reason] = (tally.reasons[reason] ?? 0) + 1
}

function flood(client: Socket): void {
  if (isStopped || !client.connected) return
  for (let i = 0; i < 100; i++) {
    client.emit(events.sendMessage, { username: 'abuser', message: 'buy now', createdTime: 1 }, (ack: SendAck) => {
      if (ack.ok) tally.accepted++
      else {
        tally.rejected++
        countReason(ack.message)
      }
    })
  }
  setImmediate(() => flood(client))
}

function attack(): void {
  if (isStopped) return
  const client = io(url, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    extraHeaders: { 'x-forwarded-for': address },
  })
  const again = () => {
    client.close()
    setTimeout(attack, 20)
  }
  client.on('connect', () => flood(client))
  client.on('disconnect', () => {
    tally.closed++
    again()
  })
  client.on('connect_error', (error: Error & { data?: { message: string } }) => {
    tally.connectRejected++
    countReason(error.data?.message ?? error.message)
    again()
  })
}

for (let i = 0; i < connections; i++) attack()
parentPort?.on('message', (request) => {
  isStopped ||= request === 'stop'
  parentPort?.postMessage(tally)
})
