import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { CallAnswer, CallMap } from '../driver/calls.ts'
import { loadCore, pinned } from '../../scripts/pinning.ts'

/** Starts a file of `driver/` in a process of its own on the load's core and calls it over IPC. */
export function startDriver<Calls extends CallMap<Calls>>(file: string) {
  const path = fileURLToPath(new URL(`../driver/${file}`, import.meta.url))
  const [command, args] = pinned(loadCore, [process.execPath, path])
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // JSON would turn Infinity into null.
    serialization: 'advanced',
  })
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>()
  let nextCallId = 0
  let gone: Error | undefined
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code) => {
      gone = new Error(`The driver ${file} ended with code ${code}`)
      for (const { reject } of waiting.values()) reject(gone)
      resolve()
    })
  })
  child.on('error', (error) => {
    gone = error
  })
  child.on('message', (message) => {
    const { callId, answer, error } = message as CallAnswer
    const caller = waiting.get(callId)
    waiting.delete(callId)
    if (error === undefined) caller?.resolve(answer as never)
    else caller?.reject(new Error(error))
  })

  function call<Name extends keyof Calls & string>(name: Name, order: Calls[Name]['order']) {
    return new Promise<Calls[Name]['answer']>((resolve, reject) => {
      if (gone !== undefined) return reject(gone)
      const callId = nextCallId++
      waiting.set(callId, { resolve, reject })
      child.send({ callId, name, order })
    })
  }

  async function stop(): Promise<void> {
    if (gone === undefined && child.connected) child.disconnect()
    await ended
  }

  return { call, stop }
}
