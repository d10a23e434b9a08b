import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { CallResponse, CallMap } from '../driver/calls.ts'
import { loadCore, pinned } from '../../scripts/pinning.ts'

/** Starts a file of `driver/` as a process on the load generator's core. The harness calls it over IPC. */
export function startDriver<Calls extends CallMap<Calls>>(file: string) {
  const path = fileURLToPath(new URL(`../driver/${file}`, import.meta.url))
  const [command, args] = pinned(loadCore, [process.execPath, path])
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // The default serialization, JSON, turns Infinity into null.
    serialization: 'advanced',
  })
  const pendingCalls = new Map<number, { resolve: (response: never) => void; reject: (error: Error) => void }>()
  let nextCallId = 0
  let exitError: Error | undefined
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code) => {
      exitError = new Error(`driver exited: ${file}, code ${code}`)
      for (const { reject } of pendingCalls.values()) reject(exitError)
      resolve()
    })
  })
  child.on('error', (error) => {
    exitError = error
  })
  child.on('message', (message) => {
    const { callId, response, error } = message as CallResponse
    const caller = pendingCalls.get(callId)
    pendingCalls.delete(callId)
    if (error === undefined) caller?.resolve(response as never)
    else caller?.reject(new Error(error))
  })

  function call<Name extends keyof Calls & string>(name: Name, request: Calls[Name]['request']) {
    return new Promise<Calls[Name]['response']>((resolve, reject) => {
      if (exitError !== undefined) return reject(exitError)
      const callId = nextCallId++
      pendingCalls.set(callId, { resolve, reject })
      child.send({ callId, name, request })
    })
  }

  async function stop(): Promise<void> {
    if (exitError === undefined && child.connected) child.disconnect()
    await exited
  }

  return { call, stop }
}
