import { fileURLToPath } from 'node:url'
import { flushWindowMs, maxPauseMs } from '../../server/room/send/flush-scheduler.ts'
import { compileCache, serverFlags } from '../../scripts/server-flags.mjs'
import { serverEntry } from '../../tests/support/server-entry.ts'
import { launchNode } from './node-peers.ts'
import type { Launch, Peer } from './peer.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Chat Room with its durable log and acks, without rate limits. */
export const appPeer: Peer = {
  id: 'app',
  label: 'Chat Room',
  configuration:
    'SQLite log with synchronous=FULL, acks checked, rate limits off, Node flags and compile cache as in npm start',
  batching: `idle: immediate flush; busy: at most one flush per ${flushWindowMs} ms, then a pause as long as the flush took, at most ${maxPauseMs} ms`,
  dialect: 'app',
  auth: { channel: 'messages' },
  debianPackages: [],
  launch: (port, folder) => launchApp(port, folder),
}

/** Returns the launch command of the server. `extraSettings` can make the server one of several nodes. */
export function launchApp(port: number, folder: string, extraSettings: Record<string, string> = {}): Launch {
  const profile = process.env['BENCH_CPU_PROF']
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const flags = [...serverFlags, ...profiling]
  return launchNode(
    serverEntry,
    {
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: folder,
      MESSAGES_PER_SECOND: '0',
      MESSAGES_PER_SECOND_PER_IP: '0',
      MAX_CONNECTIONS_PER_IP: '0',
      LOG_LEVEL: 'warn',
      ...compileCache(root),
      ...extraSettings,
    },
    flags,
  )
}
