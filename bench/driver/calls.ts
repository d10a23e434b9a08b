/** Calls that a driver process serves, with the request and response type of each. */
export type CallMap<Calls> = { [Name in keyof Calls]: { request: unknown; response: unknown } }

export type CallHandlers<Calls extends CallMap<Calls>> = {
  [Name in keyof Calls]: (request: Calls[Name]['request']) => Calls[Name]['response'] | Promise<Calls[Name]['response']>
}

interface CallRequest {
  callId: number
  name: string
  request: unknown
}

export interface CallResponse {
  callId: number
  response?: unknown
  error?: string
}

/** Serves the harness's calls over the IPC channel. The process exits when the harness disconnects. */
export function serveCalls<Calls extends CallMap<Calls>>(handlers: CallHandlers<Calls>): void {
  const byName = handlers as Record<string, (request: unknown) => unknown>
  process.on('message', (message) => {
    const { callId, name, request } = message as CallRequest
    Promise.resolve()
      .then(() => byName[name]!(request))
      .then(
        (response) => process.send?.({ callId, response } satisfies CallResponse),
        (error: unknown) => process.send?.({ callId, error: String(error) } satisfies CallResponse),
      )
  })
  process.on('disconnect', () => process.exit(0))
}
