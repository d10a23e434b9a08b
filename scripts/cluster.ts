import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { startCluster } from '../tests/support/cluster.ts'
import { ensureBuild } from './ensure-build.ts'
import { ensurePrograms } from './programs.ts'
import { useRunFolder } from './run-folder.ts'
import { say } from './steps.ts'

/** Cores beyond a hundred have not been met; a number with a digit too many would take the machine down. */
const maxNodes = 128

const { values } = parseArgs({ options: { nodes: { type: 'string', default: String(availableParallelism()) } } })
const nodes = Number(values.nodes)
if (!Number.isInteger(nodes) || nodes < 1 || nodes > maxNodes) end(`--nodes: a whole number from 1 to ${maxNodes}`)
const missing = ensurePrograms(['nginx', 'redis-server', 'postgresql'])
if (missing.length > 0) end(`a cluster needs ${missing.join(', ')}`)
await ensureBuild()

useRunFolder('chat-room-cluster-')
const asked = askedToEnd()
const port = process.env['PORT']
const starting = startCluster({
  nodes,
  env: { LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn' },
  onOutput: (node, text) => process.stderr.write(text.replaceAll(/^(?=.)/gm, `node ${node + 1}: `)),
  ...(port === undefined ? {} : { port: Number(port) }),
})
const cluster = await starting.catch((error: unknown) => end(error instanceof Error ? error.message : String(error)))
console.log(`Chat Room is open at ${cluster.url} on ${nodes} nodes; Ctrl-C ends it and removes what it stored`)
await asked
await cluster.close()
process.exit(0)

function askedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => resolve())
  })
}

function end(reason: string): never {
  say(reason)
  process.exit(1)
}
