import type { CallRejectionCode } from '../../../contract/rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'

/** Parameters of Engine.IO that must not be repeated: two parsers may use different values of a repeated parameter. */
const engineParameters = ['EIO', 'transport', 'sid']
/** Parameter of JSONP, which would give the messages of a session to any page that includes the response as a script. */
const jsonp = 'j'

/**
 * Returns the id of the session that an Engine.IO request continues; `null` for a new one. Throws if the query is
 * malformed, for example if it contains an empty `sid`, which Engine.IO ignores. Also throws for JSONP.
 */
export function sessionOf(url: string | undefined): string | null {
  const parameters = URL.parse(url ?? '', 'http://any.host')?.searchParams
  if (parameters === undefined) throw malformed()
  const sid = parameters.get('sid')
  const isAmbiguous = engineParameters.some((name) => parameters.getAll(name).length > 1)
  if (isAmbiguous || sid === '' || parameters.has(jsonp)) throw malformed()
  return sid
}

function malformed(): RejectionError<CallRejectionCode> {
  return new RejectionError('invalid', 'The query of the request is malformed.')
}
