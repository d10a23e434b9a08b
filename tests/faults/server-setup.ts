import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { writeFileSync } from 'node:fs'
import { createHistoryWriter, type HistoryEvent } from './history.ts'
import { findFreePort } from '../support/free-port.ts'
import { serverEntry, sourceEntry } from '../support/server-entry.ts'
import { createServerProcess } from './server-process.ts'

const root = join(import.meta.dirname, '../..')

interface ServerSetupOptions {
  control?: boolean
  retainedMessages?: number
  /** Name of a defect from `mutants.ts` to insert into the server. */
  mutant?: string
}

export type ServerSetup = Awaited<ReturnType<typeof createServerSetup>>

/** Creates the folders, the port and the server process of a run. The server is not started. */
export async function createServerSetup({ control = false, retainedMessages, mutant }: ServerSetupOptions = {}) {
  const { folder, histories, serverHistory, saveHistories, remove } = await createRunFolder()
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const port = await findFreePort()
  const clockFile = join(folder, 'clock-offset-ms')
  // A mutant changes the sources, so a run with a mutant does not use the bundle.
  const ownEntry = mutant === undefined ? serverEntry : sourceEntry
  const server = createServerProcess({
    port,
    entry: control ? join(import.meta.dirname, 'control-server.ts') : ownEntry,
    env: { ...serverEnvironment(clockFile, retainedMessages, mutant), DATA_DIR: dataDir },
    logFile: join(histories, 'server.log'),
    record: (event) => serverHistory.record(event),
  })

  return {
    port,
    histories,
    server,
    crashed: server.crashed,
    start: () => server.start(),
    messagesFile: join(dataDir, 'messages.sqlite'),
    adminSockets: [join(dataDir, 'admin.sock')],
    record: (event: HistoryEvent) => serverHistory.record(event),
    /** Shifts the clock of the server until the next call. */
    setClock: (offsetMs: number) => writeFileSync(clockFile, String(offsetMs)),
    /** Records the start or the end of a fault that affects all clients. */
    recordFault: (isActive: boolean) => serverHistory.record({ type: 'fault', isActive }),
    /** Kills the server and closes its history. */
    async close(): Promise<void> {
      await server.close()
      await serverHistory.close()
    },
    saveHistories,
    remove,
  }
}

/** Creates the folder of a run and the history of the server. */
export async function createRunFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'chat-faults-'))
  const histories = join(folder, 'histories')
  await mkdir(histories)
  const serverHistory = createHistoryWriter(histories, 'server')
  serverHistory.record({ type: 'opened', role: 'server' })
  return {
    folder,
    histories,
    serverHistory,
    /** Copies the histories and the server log to `test-results`. Returns the path relative to the project. */
    saveHistories: async (name: string): Promise<string> => {
      const target = join(root, 'test-results/faults', name)
      await rm(target, { recursive: true, force: true })
      await cp(histories, target, { recursive: true })
      return relative(root, target)
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

export function serverEnvironment(clockFile: string, retainedMessages?: number, mutant?: string): NodeJS.ProcessEnv {
  const preloads = ['clock-offset.ts', ...(mutant === undefined ? [] : ['mutate.ts'])]
  return {
    NODE_ENV: 'test',
    CLOCK_FILE: clockFile,
    NODE_OPTIONS: preloads.map((file) => `--import=${join(import.meta.dirname, file)}`).join(' '),
    ...(mutant !== undefined && { MUTANT: mutant }),
    MESSAGES_PER_SECOND: '0',
    MESSAGES_PER_SECOND_PER_IP: '0',
    MAX_CONNECTIONS_PER_IP: '0',
    ...(retainedMessages !== undefined && { RETENTION_MESSAGES: String(retainedMessages) }),
  }
}
