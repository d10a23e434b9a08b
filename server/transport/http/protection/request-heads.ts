import type { IncomingMessage } from 'node:http'
import type { RejectionReason } from '../../../observe/reasons.ts'
import { preparedRejection } from './raw-rejection.ts'

/** Maximum length of the path and query. The longest of this application, a polling request, has about 100 characters. */
export const maxUrlCharacters = 2_048
/** Maximum number of parameters in the query. Engine.IO has five; clients can add their own. */
export const maxQueryParameters = 32
/** Maximum number of headers. A browser sends about 20, and each proxy adds a few. */
export const maxHeaders = 100

/** Pattern of a host name or address with an optional port. A longer value is not a host name. */
const validHost = /^(?:\[[\da-f:.]{2,45}\]|[\w.~%!$&'()*+,;=-]{0,255})(?::\d{0,5})?$/i

interface HeadRejection {
  readonly reason: RejectionReason
  readonly response: Buffer
}

const urlTooLong: HeadRejection = {
  reason: 'http_other',
  response: preparedRejection(414, { code: 'too_large', message: 'The URL is too long.' }),
}
const tooManyParameters: HeadRejection = {
  reason: 'http_400',
  response: preparedRejection(400, { code: 'invalid', message: 'The query has too many parameters.' }),
}
const tooManyHeaders: HeadRejection = {
  reason: 'http_431',
  response: preparedRejection(431, { code: 'too_large', message: 'There are too many headers.' }),
}
const notOneHost: HeadRejection = {
  reason: 'http_400',
  response: preparedRejection(400, { code: 'invalid', message: 'A request must have one valid Host header.' }),
}

/**
 * Returns why the head of a request is rejected; `null` if it is accepted. Runs before any module parses the URL:
 * thousands of parameters take milliseconds to parse.
 */
export function headRejection({ url = '', rawHeaders, httpVersion }: IncomingMessage): HeadRejection | null {
  if (url.length > maxUrlCharacters) return urlTooLong
  if (rawHeaders.length > maxHeaders * 2) return tooManyHeaders
  if (hasTooManyParameters(url)) return tooManyParameters
  return hasValidHosts(rawHeaders, httpVersion) ? null : notOneHost
}

function hasTooManyParameters(url: string): boolean {
  let parameters = 1
  for (let at = url.indexOf('&'); at >= 0; at = url.indexOf('&', at + 1)) {
    if (++parameters > maxQueryParameters) return true
  }
  return false
}

/**
 * Returns whether a request has exactly one Host header, with a valid value. If there were two, a proxy in front of the
 * server and the server could use different ones. HTTP/1.0 does not require the header: HAProxy's health checks leave
 * it out.
 */
function hasValidHosts(rawHeaders: readonly string[], httpVersion: string): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    if (!validHost.test(rawHeaders[i + 1] ?? '')) return false
    hosts++
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}
