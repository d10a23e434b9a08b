import { DatabaseSync } from 'node:sqlite'
import type { Fleet } from './fleet.ts'
import type { ServerAction } from './schedule.ts'
import type { ServerSetup } from './server-setup.ts'

type Pause = (ms: number) => Promise<void>

/** Creates a function that injects faults into a single server. */
export function createServerFaults(setup: ServerSetup, fleet: Fleet) {
  const { server } = setup
  const tally = { kills: 0, stops: 0, drains: 0, locks: 0, threadExits: 0, clockJumps: 0 }

  async function restart(): Promise<void> {
    server.spawn()
    await server.ready()
  }

  async function lockLog(forMs: number, pause: Pause): Promise<void> {
    tally.locks++
    const other = new DatabaseSync(setup.messagesFile, { timeout: 5_000 })
    try {
      other.exec('BEGIN IMMEDIATE')
      await pause(forMs)
      other.exec('ROLLBACK')
    } finally {
      other.close()
    }
  }

  async function killThread(): Promise<void> {
    tally.threadExits++
    await server.drain()
    server.spawn({ FAULT_POINT: 'storage-dies' })
    await server.ready()
    const ended = server.expectExit()
    fleet.sendText('fault-point')
    await ended
    await restart()
  }

  return {
    tally,
    onServer: async (action: ServerAction, pause: Pause): Promise<void> => {
      if (action.kind === 'stop') {
        tally.stops++
        server.signal('SIGSTOP')
        await pause(action.forMs)
        server.signal('SIGCONT')
        return
      }
      if (action.kind === 'lock') return lockLog(action.forMs, pause)
      if (action.kind === 'thread exit') return killThread()
      if (action.kind === 'clock') {
        tally.clockJumps++
        setup.setClock(action.offsetMs)
        await pause(action.forMs)
        return setup.setClock(0)
      }
      if (action.kind === 'drain') {
        tally.drains++
        if (action.killAfterMs !== undefined) tally.kills++
        await server.drain(action.killAfterMs)
        return restart()
      }
      tally.kills++
      await server.kill()
      await pause(action.downMs)
      if (action.againAfterMs !== undefined) {
        server.spawn()
        await pause(action.againAfterMs)
        tally.kills++
        await server.kill()
      }
      await restart()
    },
  }
}
