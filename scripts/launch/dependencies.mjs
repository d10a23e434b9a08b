import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fail, failUnwritable, isUnwritable, npm, say } from './steps.mjs'
import { inTurn } from './turns.mjs'

/** Installs what the lock file names unless that was done, whole and for this machine. */
export async function ensureDependencies(root, node) {
  const packages = join(root, 'node_modules')
  const stamp = join(packages, '.installed')
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`complete ${process.platform}-${process.arch}`)
    .digest('hex')
  const isWhole = () =>
    existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && missingPackages(root, packages).length === 0
  if (isWhole()) return
  try {
    mkdirSync(packages, { recursive: true })
    await inTurn(packages, () => isWhole() || install(root, node, { stamp, wanted }))
  } catch (error) {
    if (isUnwritable(error)) failUnwritable('the dependencies have to be installed', error)
    throw error
  }
}

async function install(root, node, { stamp, wanted }) {
  say('installing dependencies')
  // Gone first: an installation that is broken off is none.
  rmSync(stamp, { force: true })
  writeFileSync(`${stamp}.new`, wanted)
  // Not `npm ci`: it refuses a lock file without the binaries of every platform (docs/decisions/008-lock-file.md).
  const args = ['install', '--include=dev', '--include=optional', '--no-save', '--no-audit', '--no-fund']
  const { isFine, output } = await npm([...args, '--loglevel=error'], node, root)
  if (!isFine) fail(`npm install failed\n${output}`)
  const missing = missingPackages(root, dirname(stamp))
  if (missing.length > 0) fail(`npm install left out ${missing.join(', ')}\n${output}`)
  renameSync(`${stamp}.new`, stamp)
}

/** Somebody may have pruned by hand what a stamp still vouches for. */
function missingPackages(root, packages) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = Object.keys({ ...dependencies, ...devDependencies })
  return names.filter((name) => !existsSync(join(packages, name, 'package.json')))
}
