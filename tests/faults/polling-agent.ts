import { Agent, type ClientRequest } from 'node:http'

type AddRequest = (this: Agent, request: ClientRequest, ...rest: unknown[]) => void

/**
 * Creates an agent that keeps connections alive, as browsers do. Otherwise a long run uses up the local ports.
 * The agent hides errors of aborted requests, because the XMLHttpRequest of the client would throw and end the run.
 */
export function createPollingAgent(): Agent {
  const agent = new Agent({ keepAlive: true })
  const internals = agent as unknown as { addRequest: AddRequest }
  const { addRequest } = internals
  internals.addRequest = function addQuietRequest(request, ...rest) {
    const emit = request.emit.bind(request) as (event: string | symbol, ...args: unknown[]) => boolean
    request.emit = (event: string | symbol, ...args: unknown[]) => {
      if (event !== 'error') return emit(event, ...args)
      if (isAborted(request)) return true
      try {
        return emit(event, ...args)
      } catch (error) {
        // After a lost connection, the XMLHttpRequest sends a second request. `abort` ends only the first one; a later
        // error of the second throws a TypeError.
        if (error instanceof TypeError) return true
        throw error
      }
    }
    addRequest.call(this, request, ...rest)
  }
  return agent
}

function isAborted(request: ClientRequest): boolean {
  return (request as { aborted?: boolean }).aborted === true
}
