import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fail, failUnwritable, isUnwritable, npm, logLine } from './steps.mjs'
import { withFolderLock } from './folder-lock.mjs'

/** Installs the packages of the lock file unless they are completely installed for this platform. */
export async function ensureDependencies(root, node) {
  const packages = join(root, 'node_modules')
  const stamp = join(packages, '.installed')
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`complete ${process.platform}-${process.arch}`)
    .digest('hex')
  const isComplete = () =>
    existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && missingPackages(root, packages).length === 0
  if (isComplete()) return
  try {
    mkdirSync(packages, { recursive: true })
    await withFolderLock(packages, () => isComplete() || install(root, node, { stamp, wanted }))
  } catch (error) {
    if (isUnwritable(error)) failUnwritable('the dependencies', error)
    throw error
  }
}

async function install(root, node, { stamp, wanted }) {
  logLine('installing dependencies')
  // Without the stamp, an interrupted installation counts as missing.
  rmSync(stamp, { force: true })
  writeFileSync(`${stamp}.new`, wanted)
  // `npm ci` rejects a lock file without the binaries of every platform (docs/decisions/008-lock-file.md).
  const args = ['install', '--include=dev', '--include=optional', '--no-save', '--no-audit', '--no-fund']
  const { hasSucceeded, output } = await npm([...args, '--loglevel=error'], node, root)
  if (!hasSucceeded) fail(`npm install failed\n${output}`)
  const missing = missingPackages(root, dirname(stamp))
  if (missing.length > 0) fail(`npm install did not install ${missing.join(', ')}\n${output}`)
  renameSync(`${stamp}.new`, stamp)
}

/** Returns the direct dependencies that are missing, for example because they were pruned after the stamp was written. */
function missingPackages(root, packages) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = Object.keys({ ...dependencies, ...devDependencies })
  return names.filter((name) => !existsSync(join(packages, name, 'package.json')))
}
