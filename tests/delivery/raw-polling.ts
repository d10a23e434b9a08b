import { socketPath } from '../../contract/routes.ts'

const separator = '\x1e'

/** A polling connection that polls only when the test says so. */
export async function openRawPolling(url: string, auth: object = {}) {
  const address = `${url}${socketPath}?EIO=4&transport=polling`
  const { sid } = JSON.parse((await (await fetch(address)).text()).slice(1)) as { sid: string }
  const session = `${address}&sid=${sid}`
  await fetch(session, { method: 'POST', body: `40${JSON.stringify(auth)}` })
  let unread: string[] = []

  async function poll(): Promise<string[]> {
    return (await (await fetch(session)).text()).split(separator)
  }

  return {
    sid,
    /** All packets of one response. */
    poll,
    post: (payload: string) => fetch(session, { method: 'POST', body: payload }),
    /** The next packet; polls when none is at hand. Pings are answered by the way. */
    async next(): Promise<string> {
      for (;;) {
        if (unread.length === 0) unread = await poll()
        const packet = unread.shift() ?? ''
        if (packet !== '2') return packet
        await fetch(session, { method: 'POST', body: '3' })
      }
    },
  }
}
