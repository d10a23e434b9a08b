import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Socket as EngineSocket } from 'engine.io'
import { Server, type ServerOptions } from 'socket.io'
import { onTestFinished } from 'vitest'
import { openRawConnection, type RawConnection } from '../support/raw-connection.ts'

/** Starts Socket.IO without the application, and gives access to both ends of its connections. */
export async function startEngine(options: Partial<ServerOptions> = {}) {
  const httpServer = createServer()
  const io = new Server(httpServer, { perMessageDeflate: false, pingInterval: 60_000, ...options })
  const raws: RawConnection[] = []
  onTestFinished(async () => {
    for (const raw of raws) raw.close()
    await io.close()
  })
  httpServer.listen(0, '127.0.0.1')
  await once(httpServer, 'listening')
  const url = `http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`

  return {
    url,
    engine: io.engine,
    join: async (): Promise<{ raw: RawConnection; conn: EngineSocket }> => {
      const arrived = once(io.engine, 'connection') as Promise<[EngineSocket]>
      const raw = await openRawConnection(url)
      raws.push(raw)
      return { raw, conn: (await arrived)[0] }
    },
  }
}
