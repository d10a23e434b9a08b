/**
 * Returns why a text is not the URL of a PostgreSQL database, or `null`. The reason never repeats the text, which may
 * contain a password.
 */
export function findDatabaseUrlProblem(text: string): string | null {
  const expected = 'a URL like postgres://user:password@host:5432/database'
  if (!URL.canParse(text))
    return `is not ${expected} (percent-encode special characters in the password, such as %40 for @)`
  const { protocol, username, password, hostname, pathname } = new URL(text)
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') return `is not ${expected}`
  if (![username, password, hostname, pathname].every(isDecodable))
    return `has a percent sign that begins no percent-encoded character; use ${expected} (with %25 for %)`
  return pathname.length > 1 ? null : `names no database; use ${expected}`
}

/** Returns whether pg can decode a part of a URL. `new URL` also accepts a text like %zz. */
function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

/** Returns host and port of a URL, or the path of its Unix socket, without credentials, for log lines and errors. */
export function databaseAddress(databaseUrl: string): string {
  const { hostname, port, searchParams } = new URL(databaseUrl)
  const host = decodeURIComponent(hostname) || searchParams.get('host') || 'localhost'
  return host.startsWith('/') ? host : `${host}:${port || '5432'}`
}
