/**
 * Returns why a text is not the URL of a Redis server, or `null`. The reason never repeats the text, which may contain
 * a password.
 */
export function findRedisUrlProblem(text: string): string | null {
  const expected = 'a URL like redis://user:password@host:6379'
  if (!URL.canParse(text))
    return `is not ${expected} (percent-encode special characters in the password, such as %40 for @)`
  const { protocol, hostname, pathname } = new URL(text)
  if ((protocol !== 'redis:' && protocol !== 'rediss:') || hostname === '') return `is not ${expected}`
  return /^\/?\d*$/.test(pathname) ? null : `has a path that is not the number of a database; use ${expected}`
}

/** Returns host and port of a URL without user and password, for log lines and errors. */
export function redisAddress(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || '6379'}`
}
