/** What a driver process can be asked, each with its order and its answer. */
export type CallMap<Calls> = { [Name in keyof Calls]: { order: unknown; answer: unknown } }

export type CallHandlers<Calls extends CallMap<Calls>> = {
  [Name in keyof Calls]: (order: Calls[Name]['order']) => Calls[Name]['answer'] | Promise<Calls[Name]['answer']>
}

interface CallRequest {
  callId: number
  name: string
  order: unknown
}

export interface CallAnswer {
  callId: number
  answer?: unknown
  error?: string
}

/** Answers the harness over the process's IPC channel; ends with the harness. */
export function serveCalls<Calls extends CallMap<Calls>>(handlers: CallHandlers<Calls>): void {
  const byName = handlers as Record<string, (order: unknown) => unknown>
  process.on('message', (message) => {
    const { callId, name, order } = message as CallRequest
    Promise.resolve()
      .then(() => byName[name]!(order))
      .then(
        (answer) => process.send?.({ callId, answer } satisfies CallAnswer),
        (error: unknown) => process.send?.({ callId, error: String(error) } satisfies CallAnswer),
      )
  })
  process.on('disconnect', () => process.exit(0))
}
