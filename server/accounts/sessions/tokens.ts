import { createHash, randomBytes } from 'node:crypto'

const tokenBytes = 32

/** Creates a token. The client receives the token once; the server stores only its hash. */
export function createToken(): { token: string; hash: string } {
  const token = randomBytes(tokenBytes).toString('base64url')
  return { token, hash: hashToken(token) }
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
