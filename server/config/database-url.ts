/** Why this is no address of a PostgreSQL database; never repeats it, because it holds a password. `null` when it is one. */
export function findDatabaseUrlProblem(text: string): string | null {
  const expected = 'an address like postgres://user:password@host:5432/database'
  if (!URL.canParse(text))
    return `is not ${expected} (a special character in the password is written as %40 and the like)`
  const { protocol, pathname } = new URL(text)
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') return `is not ${expected}`
  return pathname.length > 1 ? null : `names no database; it is ${expected}`
}

/** The place without the user and the password, for whoever has to look there. */
export function databaseAddress(databaseUrl: string): string {
  const { hostname, port, searchParams } = new URL(databaseUrl)
  const host = decodeURIComponent(hostname) || searchParams.get('host') || 'localhost'
  return host.startsWith('/') ? host : `${host}:${port || '5432'}`
}
