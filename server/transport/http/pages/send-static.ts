import type { FastifyReply } from 'fastify'
import type { Representation, StaticFile } from './static-files.ts'

/**
 * Maximum length of a header that is read as a list. Longer headers are ignored, because thousands of elements take
 * milliseconds. Browsers send about 30 characters.
 */
export const maxListCharacters = 512

interface SendOptions {
  cacheControl: string
  status?: 200 | 404
}

/** Sends the first representation that the client accepts, or 304 if the client has it. */
export function sendStatic(reply: FastifyReply, file: StaticFile, { cacheControl, status = 200 }: SendOptions) {
  const { headers } = reply.request
  const { body, etag, encoding } = choose(file, headers['accept-encoding'])
  reply.header('Cache-Control', cacheControl).header('Content-Type', file.contentType)
  if (file.representations.length > 1) addVary(reply, 'Accept-Encoding')
  if (status === 200) {
    reply.header('ETag', etag)
    if (matches(headers['if-none-match'], etag)) return reply.code(304).send()
  }
  if (encoding !== undefined) reply.header('Content-Encoding', encoding)
  return reply.code(status).send(body)
}

export function addVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('Vary')
  reply.header('Vary', before === undefined ? name : `${String(before)}, ${name}`)
}

function choose({ representations }: StaticFile, acceptEncoding = ''): Representation {
  const accepted = acceptedEncodings(acceptEncoding)
  const isAccepted = (encoding: string) => accepted.get(encoding) ?? accepted.get('*') ?? false
  // The last representation is not compressed, which every client accepts.
  return representations.find(({ encoding }) => encoding === undefined || isAccepted(encoding)) as Representation
}

const elementsOf = (list: string): string[] => (list.length > maxListCharacters ? [] : list.split(','))

/** Returns whether each named encoding is accepted; `q=0` means that it is not. */
function acceptedEncodings(header: string): ReadonlyMap<string, boolean> {
  const accepted = new Map<string, boolean>()
  for (const part of elementsOf(header)) {
    const [name = '', ...parameters] = part.toLowerCase().split(';')
    const isExcluded = parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter))
    accepted.set(name.trim(), !isExcluded)
  }
  return accepted
}

/**
 * Returns whether an `If-None-Match` header matches an ETag. Compares weakly, because a proxy may have turned a strong ETag
 * into a weak one.
 */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return elementsOf(ifNoneMatch).some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}
