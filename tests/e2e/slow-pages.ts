import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

const pieces = 12
const betweenPiecesMs = 100

async function writeInPieces(page: string, outgoing: ServerResponse) {
  const size = Math.ceil(page.length / pieces)
  for (let start = 0; start < page.length; start += size) {
    outgoing.write(page.slice(start, start + size))
    await delay(betweenPiecesMs)
  }
  outgoing.end()
}

/** The application behind a line so slow that half of a page could be on the screen before the rest is there. */
export async function serveInPieces(applicationUrl: string) {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming
    delete headers['accept-encoding']
    const onward = request(new URL(url, applicationUrl), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      if (answer.headers['content-type']?.startsWith('text/html') !== true) answer.pipe(outgoing)
      else void text(answer).then((page) => writeInPieces(page, outgoing))
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
