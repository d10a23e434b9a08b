import type { CallRejectionCode } from '../../../contract/rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'

/** What Engine.IO decides by. Of a parameter that comes twice, every reader may take another. */
const decisive = ['EIO', 'transport', 'sid']
/** JSONP, for browsers of long ago: it hands a session's messages to whatever page includes them as a script. */
const jsonp = 'j'

/**
 * The session that a request to Engine.IO goes on with; `null` when it asks for a new one. Throws for whatever could be
 * taken for both: Engine.IO takes an empty `sid` for none.
 */
export function sessionOf(url: string | undefined): string | null {
  const parameters = URL.parse(url ?? '', 'http://any.host')?.searchParams
  if (parameters === undefined) throw malformed()
  const sid = parameters.get('sid')
  const isAmbiguous = decisive.some((name) => parameters.getAll(name).length > 1)
  if (isAmbiguous || sid === '' || parameters.has(jsonp)) throw malformed()
  return sid
}

function malformed(): RejectionError<CallRejectionCode> {
  return new RejectionError('invalid', 'The query of the request is malformed.')
}
