import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom, type Random } from '../../faults/random.ts'
import { createServerProcess } from '../../faults/server-process.ts'
import { findFreePort } from '../../support/free-port.ts'
import { serverEntry } from '../../support/server-entry.ts'
import { authCase, frameCase, httpCase, packetCases } from './cases.ts'
import { createRecentSessions, driveEngineRequests, driveSession } from './drive-engine.ts'
import { driveFrames, driveHttp, drivePackets, drivePolling } from './drivers.ts'
import { readMemory } from './memory.ts'
import { createObserver } from './observer.ts'
import { createSlowTurnFinder, slowTurnsVariable } from './slow-turns.ts'

const watchTurns = new URL('./watch-turns.ts', import.meta.url).href
const workers = 24
/** Weighted kinds of cases. A kind that is cheaper or finds more defects is more frequent. */
const kinds = [
  ...Array<'http'>(6).fill('http'),
  ...Array<'engine'>(4).fill('engine'),
  'session',
  'session',
  'packets',
  'packets',
  'polling',
  'frames',
] as const
const casesPerConnection = 12
const casesPerRound = 2_000
/** Share of the run after which memory growth counts. Before that, V8 compiles code and caches fill. */
const warmUpShare = 0.3
const maxGrowthBytes = 96 * 1_024 * 1_024

export interface FuzzOptions {
  cases: number
  seed: string
  /** Path of the `main.ts` of another checkout to fuzz instead. */
  entry?: string
  /** Time limit. The run stops at the limit, even if cases are left. */
  maxMs?: number
  log?: (line: string) => void
}

interface FuzzResult {
  cases: Record<'http' | 'engine' | 'session' | 'packets' | 'polling' | 'frames', number>
  total: number
  broadcasts: number
  memoryBytes: { warm: number; end: number }
  /**
   * Number of turns of the event loop above the limit, whatever caused them. A case that causes a slow turn each time
   * is a finding.
   */
  slowTurns: number
  findings: string[]
}

/** Sends generated cases to a real server and returns violations of its invariants. */
export async function runFuzz(options: FuzzOptions) {
  const { cases, seed, entry = serverEntry, maxMs = Number.POSITIVE_INFINITY, log = () => undefined } = options
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-fuzz-'))
  const logFile = join(folder, 'server.log')
  const turnsFile = join(folder, 'slow-turns')
  const port = await findFreePort()
  const server = createServerProcess({
    entry,
    port,
    env: {
      DATA_DIR: folder,
      LOG_LEVEL: 'info',
      TRUST_PROXY: '',
      NODE_OPTIONS: `--import ${watchTurns}`,
      [slowTurnsVariable]: turnsFile,
    },
    logFile,
    record: () => undefined,
  })
  const counts: FuzzResult['cases'] = { http: 0, engine: 0, session: 0, packets: 0, polling: 0, frames: 0 }
  const sessions = createRecentSessions()
  const total = () => Object.values(counts).reduce((sum, count) => sum + count, 0)
  const findings: string[] = []
  const slow = createSlowTurnFinder(turnsFile)
  let slowTurns = 0
  const startedAt = performance.now()

  async function drive(random: Random, token: string): Promise<void> {
    // An HTTP request is one case. A connection carries several cases.
    const kind = random.pick(kinds)
    if (kind === 'http') {
      counts.http++
      return driveHttp(port, httpCase(random))
    }
    if (kind === 'engine') {
      const requests = await driveEngineRequests(port, random, sessions)
      counts.engine += requests
      return
    }
    if (kind === 'session') {
      const steps = await driveSession(port, random, sessions)
      counts.session += steps
      return
    }
    if (kind === 'frames') {
      const frames = Array.from({ length: random.whole(1, casesPerConnection) }, () => frameCase(random))
      counts.frames += frames.length
      return driveFrames(port, frames)
    }
    const packets = packetCases(random, casesPerConnection)
    counts[kind] += packets.length
    const auth = random.chance(0.2) ? JSON.stringify({ token }) : authCase(random)
    return kind === 'packets' ? drivePackets(port, auth, packets) : drivePolling(port, auth, packets)
  }

  async function round(number: number, token: string): Promise<void> {
    const until = Math.min(cases, total() + casesPerRound)
    await Promise.all(
      Array.from({ length: workers }, async (_, worker) => {
        for (let index = 0; total() < until && findings.length === 0; index++) {
          const caseSeed = `${seed}/${number}/${worker}/${index}`
          const startMs = Date.now()
          await drive(createRandom(caseSeed), token).catch((error: Error) => findings.push(error.message))
          slow.add({ seed: caseSeed, startMs, endMs: Date.now() })
        }
      }),
    )
  }

  let warm = 0
  let end = 0
  let broadcasts = 0
  try {
    await server.start()
    const pid = Number(/started, pid (\d+)/.exec(readFileSync(logFile, 'utf8'))?.[1])
    const accountName = 'fuzz account'
    const token = await registerAccount(port, accountName)
    const observer = await createObserver(`http://127.0.0.1:${port}`, accountName)
    for (let number = 0; total() < cases && performance.now() - startedAt < maxMs && findings.length === 0; number++) {
      await Promise.race([round(number, token), server.crashed])
      await observer.check(`round ${number} of ${seed}`)
      const { turns, causes } = await slow.findCauses(async (caseSeed) => {
        await drive(createRandom(caseSeed), token).catch((error: Error) => findings.push(error.message))
        await observer.check(`alone ${caseSeed} ${Math.random()}`)
      })
      slowTurns += turns
      findings.push(...causes, ...observer.findings.splice(0))
      end = readMemory(pid)
      if (warm === 0 && isWarm(total() / cases, (performance.now() - startedAt) / maxMs)) warm = end
      log(`${total()} of ${cases} cases, ${Math.round(end / 1e6)} MB, ${slowTurns} slow turns`)
    }
    broadcasts = observer.broadcastCount()
    observer.close()
  } catch (error) {
    findings.push((error as Error).message)
  } finally {
    await server.close()
  }
  findings.push(...logFindings(readFileSync(logFile, 'utf8')))
  if (warm > 0 && end - warm > maxGrowthBytes) findings.push(`memory grew from ${warm} to ${end} bytes`)
  rmSync(folder, { recursive: true, force: true })
  return {
    cases: counts,
    total: total(),
    broadcasts,
    memoryBytes: { warm, end },
    slowTurns,
    findings,
  } satisfies FuzzResult
}

function isWarm(shareOfCases: number, shareOfTime: number): boolean {
  return Math.max(shareOfCases, shareOfTime) >= warmUpShare
}

/** Returns the first log lines with server errors or warnings of Node, which no client input may cause. */
function logFindings(log: string): string[] {
  return log
    .split('\n')
    .filter((line) => /"level":[56]0|UnhandledPromise|Uncaught|DeprecationWarning|MaxListeners/.test(line))
    .slice(0, 5)
    .map((line) => `in the log: ${line.slice(0, 500)}`)
}

async function registerAccount(port: number, name: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, email: 'fuzz@example.org', password: 'fuzz' }),
  })
  return ((await response.json()) as { token: string }).token
}
