import { once } from 'node:events'
import { lstatSync, unlinkSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { StartError } from '../../base/start-error.ts'

/** Maximum length of the path of a Unix socket. */
const maxPathBytes = process.platform === 'linux' ? 107 : 103
/** File mode mask with which only the owner may connect to the socket. */
const ownerOnlyUmask = 0o177

/** Listens on a Unix socket that only its owner can use. Throws a `StartError` when that is not possible. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > maxPathBytes)
    throw new StartError(`ADMIN_SOCKET: ${path} is longer than ${maxPathBytes} bytes; choose a shorter path`)
  try {
    await removeStale(path)
    await listenAsOwner(server, path)
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `ADMIN_SOCKET: cannot listen on ${path} (${codeOf(error)}); set a path in a folder that this user can write to`,
    )
  }
}

async function listenAsOwner(server: Server, path: string): Promise<void> {
  const umask = process.umask(ownerOnlyUmask)
  try {
    // `listen` binds synchronously, so the file is created with this umask.
    server.listen(path)
  } finally {
    process.umask(umask)
  }
  await once(server, 'listening')
}

/**
 * Removes the socket that a killed server has left. Throws if another server listens on it, or if the path is not a
 * socket.
 */
async function removeStale(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isSocket())
    throw new StartError(`ADMIN_SOCKET: ${path} exists and is not a socket; remove it, or set another path`)
  if (await isListening(path))
    throw new StartError(`ADMIN_SOCKET: another server listens on ${path}; stop it, or set another path`)
  unlinkSync(path)
}

async function isListening(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    if (['ECONNREFUSED', 'ENOENT'].includes(codeOf(error))) return false
    throw new StartError(
      `ADMIN_SOCKET: ${path} cannot be checked (${codeOf(error)}); remove the socket, or set another path`,
    )
  } finally {
    socket.destroy()
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
