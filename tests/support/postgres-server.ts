import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from './free-port.ts'
import { createPostgresData, findPostgresUser, password, postgresProgramPath, superuser } from './postgres-data.ts'
import { createServiceProcess } from './service-process.ts'

interface PostgresOptions {
  /** Settings that differ from the defaults, for example `{ max_connections: '10' }`. */
  settings?: Record<string, string>
  port?: number
}

/** Starts a real PostgreSQL with a temporary folder, by default on a free port. The caller must call `close`. */
export async function startPostgres({ settings = {}, port: wantedPort }: PostgresOptions = {}) {
  const port = wantedPort ?? (await findFreePort())
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-postgres-'))
  const data = join(folder, 'data')
  const owner = findPostgresUser()
  if (owner !== null) chownSync(folder, owner.uid, owner.gid)
  createPostgresData(data, owner)

  // Use no Unix socket: its path has at most 107 bytes, and the path of a nested temporary folder can be longer.
  const all = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings }
  const service = createServiceProcess({
    command: [
      postgresProgramPath('postgres'),
      '-D',
      data,
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    ready: /database system is ready to accept (read-only )?connections/,
    parentDeathSignal: 'QUIT',
    cwd: folder,
    ...(owner === null ? {} : { user: superuser }),
  })
  await service.start()

  const urlOf = (database: string) =>
    `postgres://${superuser}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

  /** Runs one statement and returns the output of psql. */
  function query(sql: string, database = superuser): string {
    const args = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', sql, urlOf(database)]
    const { stdout, stderr, status } = spawnSync(postgresProgramPath('psql'), args, {
      encoding: 'utf8',
      timeout: 30_000,
    })
    if (status !== 0) throw new Error(`psql ${sql}: ${stderr}`)
    return stdout.trimEnd()
  }

  let databases = 0
  return {
    port,
    url: urlOf(superuser),
    query,
    /** Creates an empty database and returns its URL. */
    createDatabase(): string {
      databases += 1
      query(`CREATE DATABASE test_${databases}`)
      return urlOf(`test_${databases}`)
    },
    /** Stops the processes with SIGSTOP, so that PostgreSQL does not reply. The kernel still accepts connections. */
    pause: service.pause,
    resume: service.resume,
    kill: () => service.kill(),
    start: () => service.start(),
    async restart(): Promise<void> {
      await service.kill()
      await service.start()
    },
    /** Restarts as a standby, like the old primary after a failover. `SELECT pg_promote()` makes it a primary again. */
    async restartAsStandby(): Promise<void> {
      await service.kill()
      writeFileSync(join(data, 'standby.signal'), '')
      await service.start()
    },
    /** Restarts without data, as after a replaced disk. */
    async wipe(): Promise<void> {
      await service.kill()
      rmSync(data, { recursive: true })
      createPostgresData(data, owner)
      await service.start()
    },
    async close(): Promise<void> {
      await service.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
