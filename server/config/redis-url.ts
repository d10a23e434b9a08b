/** Why this is no address of a Redis server; never repeats it, because it holds a password. `null` when it is one. */
export function findRedisUrlProblem(text: string): string | null {
  const expected = 'an address like redis://user:password@host:6379'
  if (!URL.canParse(text))
    return `is not ${expected} (a special character in the password is written as %40 and the like)`
  const { protocol, hostname, pathname } = new URL(text)
  if ((protocol !== 'redis:' && protocol !== 'rediss:') || hostname === '') return `is not ${expected}`
  return /^\/?\d*$/.test(pathname) ? null : `ends with something that is no number of a database; it is ${expected}`
}

/** The place without the user and the password, for whoever has to look there. */
export function redisAddress(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || '6379'}`
}
