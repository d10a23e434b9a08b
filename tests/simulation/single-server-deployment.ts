import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cursorAt } from '../../server/room/lineage.ts'
import { headFileOf } from '../../server/storage/sqlite/head-file.ts'
import { createSqliteLogStore } from '../../server/storage/sqlite/log/sqlite-log-store.ts'
import { bodyOf, keyOf, removedMark } from '../faults/history.ts'
import { createLocalBus } from '../../server/bus/cluster-bus.ts'
import { openSimulatedModeration, type SimulatedModeration } from './simulated-moderation.ts'
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
  database,
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
    const { log } = opened
    const serve = (moderation: SimulatedModeration | null) => {
      server = startSimulatedServer({ owner, log, moderation, maxAgeMs, time, random, recordServerEvent })
    }
    if (database === null) return serve(null)
    const open = () => openSimulatedModeration({ database, log, bus: createLocalBus(), owner })
    time.after(0, () => void open().then(serve), owner)
  }

  function stop(): void {
    server?.crash()
    server = null
    closeFile()
  }

  /**
   * Restores the database. If `isCold` is set, also restores the head file, so that only the clients can prove a loss.
   */
  function restoreBackup(isCold: boolean): void {
    for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    copyFileSync(`${file}.backup`, file)
    if (isCold) copyFileSync(`${headFile}.backup`, headFile)
    recordServerEvent({ type: 'restored', provenBy: isCold ? 'clients' : 'server' })
  }

  start()
  return {
    room: {
      admit(connection, handshake) {
        server?.admit(connection, handshake)
        return server !== null
      },
      receive: (...args) => server?.receive(...args),
      leave: (connection) => server?.leave(connection),
    },
    isUp: () => server !== null,
    serverOf: () => server,
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
