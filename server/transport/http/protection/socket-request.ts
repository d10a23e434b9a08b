import type { IncomingMessage } from 'node:http'
import { socketPath } from '../../../../contract/routes.ts'

/** Returns whether Engine.IO handles a request. */
export const isSocketRequest = ({ url = '' }: Pick<IncomingMessage, 'url'>) => url.startsWith(socketPath)
