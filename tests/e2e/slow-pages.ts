import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { startHttpProxy } from '../support/http-proxy.ts'

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

/** Serves the application through a proxy that sends pages in pieces, so that a browser can paint an incomplete page. */
export const serveInPieces = (applicationUrl: string) =>
  startHttpProxy(applicationUrl, ({ incoming, outgoing, forward }) => {
    delete incoming.headers['accept-encoding']
    forward((response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      if (response.headers['content-type']?.startsWith('text/html') !== true) response.pipe(outgoing)
      else void text(response).then((page) => writeInPieces(page, outgoing))
    })
  })
