import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { startCluster } from '../tests/support/cluster.ts'
import { ensureBuild } from './build/ensure-build.ts'
import { ensurePrograms } from './programs.ts'
import { useRunFolder } from './run-folder.ts'
import { logLine } from './steps.ts'

/** Maximum number of nodes, which protects the machine from a typing error. */
const maxNodes = 128

const { values } = parseArgs({ options: { nodes: { type: 'string', default: String(availableParallelism()) } } })
const nodes = Number(values.nodes)
if (!Number.isInteger(nodes) || nodes < 1 || nodes > maxNodes)
  fail(`--nodes must be a whole number from 1 to ${maxNodes}`)
const missing = ensurePrograms(['nginx', 'redis-server', 'postgresql'])
if (missing.length > 0) fail(`programs are missing: install ${missing.join(', ')}`)
const entry = await ensureBuild()

useRunFolder('chat-room-cluster-')
const stopSignal = waitForStopSignal()
const port = process.env['PORT']
const starting = startCluster({
  nodes,
  entry,
  env: { LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn' },
  onOutput: (node, text) => process.stderr.write(text.replaceAll(/^(?=.)/gm, `node ${node + 1}: `)),
  ...(port === undefined ? {} : { port: Number(port) }),
})
const cluster = await starting.catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)))
const { url, adminSocket } = cluster
console.log(
  `Chat Room is open at ${url} on ${nodes} nodes (ADMIN_SOCKET=${adminSocket}); press Ctrl-C to stop it and remove its data`,
)
await stopSignal
await cluster.close()
process.exit(0)

function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => resolve())
  })
}

function fail(reason: string): never {
  logLine(reason)
  process.exit(1)
}
