import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installDebianPackages, installPackages } from './install.ts'
import { type Options, readOptions } from './options.ts'

const rootFolder = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Returns the output folder. Without `--out`, only a full benchmark of at least 5 runs replaces the published results in
 * docs/bench.
 */
function outFolder({ quick, only, peers, runs, out }: Options): string {
  if (out !== null) return resolve(out)
  const isFullRun = !quick && only === null && peers === null && runs >= 5
  return join(rootFolder, isFullRun ? 'docs/bench' : '.cache/bench')
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  installPackages()
  // Build before the import of the peers: on import, the app peer selects the bundled server if it exists, otherwise the sources.
  execFileSync(process.execPath, [join(rootFolder, 'scripts/build/ensure-build.ts'), '--only-missing'], {
    stdio: 'inherit',
  })
  const { allPeers } = await import('./peers/peers.ts')
  const wanted = allPeers.filter(({ id }) => options.peers === null || options.peers.includes(id))
  if (!options.quick || options.peers !== null) installDebianPackages(wanted.flatMap((peer) => peer.debianPackages))

  const { measureAll } = await import('./measure-all.ts')
  const results = await measureAll(options)
  const { drawCharts } = await import('./report/charts.ts')
  const { renderMarkdown } = await import('./report/markdown.ts')
  const { renderTerminal } = await import('./report/terminal.ts')
  const { allTables } = await import('./report/tables.ts')
  const folder = outFolder(options)
  const charts = drawCharts(results)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify(results, null, 1)}\n`)
  for (const [name, svg] of charts) writeFileSync(join(folder, name), svg)
  writeFileSync(join(folder, 'README.md'), renderMarkdown(results, [...charts.keys()]))
  console.log(`\n${renderTerminal(results, allTables(results))}\n\nResults: ${folder}`)
}

// By default these signals end the process without its exit handlers, and the server under test keeps running.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
