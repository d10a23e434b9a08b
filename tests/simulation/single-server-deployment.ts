import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createSqliteLogStore } from '../../server/storage/sqlite/log/sqlite-log-store.ts'
import { bodyOf, keyOf } from '../faults/history.ts'
import { openSimulatedLog } from './simulated-log.ts'
import { type SimulatedServer, startSimulatedServer } from './simulated-server.ts'
import { maxAgeMs, type Site, type SiteOptions } from './deployment.ts'
import type { Owner } from './virtual-time.ts'

/** One server and its file, which may be put back to an older state. */
export function createSingleSite({ folder, plan, time, random, keep }: SiteOptions): Site {
  const file = join(folder, 'messages.sqlite')
  const retention = { maxAgeMs, maxMessages: plan.retainedMessages }
  let server: SimulatedServer | null = null
  let closeFile = () => undefined as void

  function start(): void {
    const owner: Owner = { name: 'server', alive: true }
    const opened = openSimulatedLog({ file, retention, time, random, owner })
    ;({ closeFile } = opened)
    server = startSimulatedServer({ owner, log: opened.log, maxAgeMs, time, random })
  }

  function stop(): void {
    server?.crash()
    server = null
    closeFile()
  }

  function putBack(): void {
    for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    copyFileSync(`${file}.backup`, file)
    keep({ type: 'restored' })
  }

  start()
  return {
    room: {
      admit(connection, cursor) {
        server?.admit(connection, cursor)
        return server !== null
      },
      receive: (...args) => server?.receive(...args),
      leave: (connection) => server?.leave(connection),
    },
    isUp: () => server !== null,
    take({ kind, downMs = 0 }) {
      if (kind === 'backup') copyFileSync(file, `${file}.backup`)
      if ((kind !== 'crash' && kind !== 'restore') || server === null) return
      stop()
      if (kind === 'restore' && existsSync(`${file}.backup`)) putBack()
      time.after(downMs, start)
    },
    end() {
      if (server !== null) stop()
    },
    tellLog(record) {
      const store = createSqliteLogStore(file, retention)
      const { epoch } = store
      for (let after = store.range().oldest - 1; after < store.range().head;) {
        const page = store.readAfter(after, { maxMessages: 1_000, maxCharacters: 1_000_000 })
        if (page === null || page.length === 0) throw new Error(`the log has a hole after ${after}`)
        for (const { seq, message } of page) {
          record({ type: 'stored', key: keyOf(message), body: bodyOf(message), epoch, seq })
        }
        after += page.length
      }
      store.close()
    },
  }
}
