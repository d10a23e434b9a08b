import { createHash, randomBytes } from 'node:crypto'

const tokenBytes = 32

/** The token itself is shown to its owner once; what is stored cannot be turned back into it. */
export function createToken(): { token: string; hash: string } {
  const token = randomBytes(tokenBytes).toString('base64url')
  return { token, hash: hashToken(token) }
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
