import { socketPath } from '../../contract/routes.ts'

const separator = '\x1e'

/** Opens a polling connection that polls only on request. */
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
    /** Polls once and returns all packets of the response. */
    poll,
    post: (payload: string) => fetch(session, { method: 'POST', body: payload }),
    /** Returns the next packet and polls if there is none. Responds to pings. */
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
