import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from './free-port.ts'
import { createServiceProcess } from './service-process.ts'

/**
 * Settings with which Redis replies only after the write is on disk, and evicts nothing, as the log requires. They
 * contain no save point.
 */
const durable = {
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no',
  'maxmemory-policy': 'noeviction',
  save: '',
}

interface RedisOptions {
  /** Settings that override or extend `durable`, for example `{ appendfsync: 'everysec' }`. */
  settings?: Record<string, string>
  port?: number
}

/** Starts a real Redis with a temporary folder, by default on a free port. The caller must call `close`. */
export async function startRedis({ settings = {}, port: wantedPort }: RedisOptions = {}) {
  const port = wantedPort ?? (await findFreePort())
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-redis-'))
  const data = join(folder, 'data')
  const all = { port: String(port), bind: '127.0.0.1', dir: folder, appenddirname: 'data', ...durable, ...settings }
  const service = createServiceProcess({
    command: ['redis-server', ...Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])],
    ready: /Ready to accept connections/,
  })
  await service.start()
  const password = settings['requirepass']

  function emptyFolder(): void {
    for (const entry of readdirSync(folder)) if (entry !== 'backup') rmSync(join(folder, entry), { recursive: true })
  }

  return {
    port,
    url: `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
    pid: service.pid,
    /** Stops the process with SIGSTOP, so that Redis does not reply. The kernel still accepts connections. */
    pause: service.pause,
    resume: service.resume,
    kill: () => service.kill(),
    start: () => service.start(),
    async restart(): Promise<void> {
      await service.kill()
      await service.start()
    },
    /** Restarts without data, as after a replaced disk. */
    async wipe(): Promise<void> {
      await service.kill()
      emptyFolder()
      await service.start()
    },
    /** Copies the data for `restore`. */
    backUp(): void {
      service.pause()
      cpSync(data, join(folder, 'backup'), { recursive: true, force: true })
      service.resume()
    },
    /** Restarts with the data of the last `backUp`. */
    async restore(): Promise<void> {
      await service.kill()
      emptyFolder()
      cpSync(join(folder, 'backup'), data, { recursive: true })
      await service.start()
    },
    /** Runs one command and returns the output of redis-cli. */
    command(...args: string[]): string {
      const auth = password === undefined ? [] : ['--no-auth-warning', '-a', password]
      const { stdout, stderr, status } = spawnSync('redis-cli', ['-p', String(port), ...auth, ...args], {
        encoding: 'utf8',
        timeout: 10_000,
      })
      if (status !== 0) throw new Error(`redis-cli ${args.join(' ')}: ${stderr}${stdout}`)
      return stdout.trimEnd()
    },
    /** Returns whether a file of Redis contains the text. */
    holdsText(text: string): boolean {
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text))
    },
    async close(): Promise<void> {
      await service.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
