import { Agent, type ClientRequest } from 'node:http'

type AddRequest = (this: Agent, request: ClientRequest, ...rest: unknown[]) => void

/**
 * Keeps connections, as browsers do: without that each poll is a connection, and a long run ends for want of ports.
 * The client's XMLHttpRequest forgets a request that it aborts and throws when that one still reports an error, which
 * would end the whole run; an aborted request has nothing more to say.
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
        // It repeats a request whose connection was lost by a second one, aborts the first, and stumbles over the second.
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
