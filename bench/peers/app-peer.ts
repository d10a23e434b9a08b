import { fileURLToPath } from 'node:url'
import { flushWindowMs, maxPauseMs } from '../../server/room/send/flush-scheduler.ts'
import { compileCache, serverFlags } from '../../scripts/server-flags.mjs'
import { nodeLaunch } from './node-peers.ts'
import type { Launch, Peer } from './peer.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const mainFile = fileURLToPath(new URL('../../server/main.ts', import.meta.url))

/** This application, whole: its durable log on, its rate limits off, its senders waiting for acknowledgements. */
export const appPeer: Peer = {
  id: 'app',
  label: 'Chat Room',
  setting:
    'this application: SQLite log with synchronous=FULL, acknowledgements checked, rate limits off, the Node flags and the compile cache of npm start',
  batching: `at once when quiet; when busy at most one flush per ${flushWindowMs} ms, and a pause as long as the last one took, at most ${maxPauseMs} ms`,
  dialect: 'app',
  auth: { channel: 'messages' },
  debianPackages: [],
  launch: (port, folder) => launchApp(port, folder),
}

/** `more` settings make it another Chat Room: one of several nodes. */
export function launchApp(port: number, folder: string, more: Record<string, string> = {}): Launch {
  const profile = process.env['BENCH_CPU_PROF']
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const flags = [...serverFlags, ...profiling]
  return nodeLaunch(
    mainFile,
    {
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: folder,
      MESSAGES_PER_SECOND: '0',
      MESSAGES_PER_SECOND_PER_IP: '0',
      MAX_CONNECTIONS_PER_IP: '0',
      LOG_LEVEL: 'warn',
      ...compileCache(root),
      ...more,
    },
    flags,
  )
}
