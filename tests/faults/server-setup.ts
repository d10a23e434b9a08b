import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { writeFileSync } from 'node:fs'
import { createHistoryWriter } from './history.ts'
import { findFreePort } from '../support/free-port.ts'
import { createServerProcess } from './server-process.ts'

const root = join(import.meta.dirname, '../..')

interface ServerSetupOptions {
  control?: boolean
  retainedMessages?: number
  /** A fault put into the server on purpose (`mutants.ts`). */
  mutant?: string
}

export type ServerSetup = Awaited<ReturnType<typeof createServerSetup>>

/** What every run needs: a folder for its histories, a data folder, a port, and a server that is not yet started. */
export async function createServerSetup({ control = false, retainedMessages, mutant }: ServerSetupOptions = {}) {
  const { folder, histories, serverHistory, saveHistories, remove } = await createRunFolder()
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const port = await findFreePort()
  const clockFile = join(folder, 'clock-offset-ms')
  const server = createServerProcess({
    port,
    entry: join(root, control ? 'tests/faults/control-server.ts' : 'server/main.ts'),
    env: { ...serverEnvironment(clockFile, retainedMessages, mutant), DATA_DIR: dataDir },
    logFile: join(histories, 'server.log'),
    record: (happening) => serverHistory.record(happening),
  })

  return {
    port,
    histories,
    server,
    crashed: server.crashed,
    start: () => server.start(),
    messagesFile: join(dataDir, 'messages.sqlite'),
    /** The server's clock jumps by so much, for as long as it says. */
    setClock: (offsetMs: number) => writeFileSync(clockFile, String(offsetMs)),
    /** A fault of everybody has begun, or is over. */
    disturb: (now: boolean) => serverHistory.record({ type: 'disturbed', now }),
    /** Ends the server and completes its history. */
    async close(): Promise<void> {
      await server.close()
      await serverHistory.close()
    },
    saveHistories,
    remove,
  }
}

/** A folder of the run's own, with the history of what happens to everybody. */
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
    /** Keeps the histories and the server's log; returns where, relative to the project. */
    saveHistories: async (name: string): Promise<string> => {
      const place = join(root, 'test-results/faults', name)
      await rm(place, { recursive: true, force: true })
      await cp(histories, place, { recursive: true })
      return relative(root, place)
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
