import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cursorAt } from '../../server/room/lineage.ts'
import { headFileOf } from '../../server/storage/sqlite/head-file.ts'
import { createSqliteLogStore } from '../../server/storage/sqlite/log/sqlite-log-store.ts'
import { bodyOf, keyOf, removedMark } from '../faults/history.ts'
import { openSimulatedLog } from './simulated-log.ts'
import { type SimulatedServer, startSimulatedServer } from './simulated-server.ts'
import { maxAgeMs, type Deployment, type DeploymentOptions } from './deployment.ts'
import type { Owner } from './virtual-time.ts'

/** Simulates one server with its database file, which can be restored from a backup. */
export function createSingleServerDeployment({
  folder,
  plan,
  time,
  random,
  recordServerEvent,
}: DeploymentOptions): Deployment {
  const file = join(folder, 'messages.sqlite')
  const headFile = headFileOf(file)
  const retention = { maxAgeMs, maxMessages: plan.retainedMessages }
  let server: SimulatedServer | null = null
  let closeFile = () => undefined as void

  function start(): void {
    const owner: Owner = { name: 'server', isAlive: true }
    const opened = openSimulatedLog({ file, retention, time, random, owner })
    ;({ closeFile } = opened)
    server = startSimulatedServer({ owner, log: opened.log, maxAgeMs, time, random, recordServerEvent })
  }

  function stop(): void {
    server?.crash()
    server = null
    closeFile()
  }

  /** Restores the database. With the head file, only the clients can prove a loss. */
  function restoreBackup(isCold: boolean): void {
    for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    copyFileSync(`${file}.backup`, file)
    if (isCold) copyFileSync(`${headFile}.backup`, headFile)
    recordServerEvent({ type: 'restored', provenBy: isCold ? 'clients' : 'server' })
  }

  start()
  return {
    room: {
      admit(connection, cursor, wantsRemovals) {
        server?.admit(connection, cursor, wantsRemovals)
        return server !== null
      },
      receive: (...args) => server?.receive(...args),
      leave: (connection) => server?.leave(connection),
    },
    isUp: () => server !== null,
    apply({ kind, page = 0, downMs = 0, isCold = false }) {
      if (kind === 'remove') server?.remove(page)
      if (kind === 'backup') for (const one of [file, headFile]) copyFileSync(one, `${one}.backup`)
      if ((kind !== 'crash' && kind !== 'restore') || server === null) return
      stop()
      if (kind === 'restore' && existsSync(`${file}.backup`)) restoreBackup(isCold)
      time.after(downMs, start)
    },
    stop() {
      if (server !== null) stop()
    },
    recordLog(record) {
      const store = createSqliteLogStore(file, retention)
      for (let after = store.range().oldest - 1; after < store.range().head;) {
        const page = store.readAfter(after, { maxMessages: 1_000, maxCharacters: 1_000_000 })
        if (page === null || page.length === 0) throw new Error(`the log has a gap after ${after}`)
        for (const { seq, message } of page) {
          record({
            type: 'stored',
            key: keyOf(message),
            body: bodyOf(message),
            ...removedMark(message),
            ...cursorAt(store.lineage, seq),
          })
        }
        after += page.length
      }
      store.close()
    },
  }
}
