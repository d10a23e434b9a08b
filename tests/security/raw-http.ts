import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Opens a TCP connection on which the test writes raw bytes. Closes the connection when the test ends. */
export async function openTcp(url: string): Promise<Socket & { received: () => string; ended: Promise<string> }> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => undefined)
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once('connect', resolve))
  return Object.assign(socket, { received: () => text, ended })
}

/** Writes these bytes and returns everything received until the server closes the connection. */
export async function sendRaw(url: string, bytes: string): Promise<string> {
  const socket = await openTcp(url)
  socket.write(bytes)
  return socket.ended
}

export function statusOf(response: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1])
}

/** Returns the headers with names in lower case. */
export function headersOf(response: string): Record<string, string> {
  const [head = ''] = response.split('\r\n\r\n')
  return Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
}

export function bodyOf(response: string): string {
  return response.slice(response.indexOf('\r\n\r\n') + 4)
}
