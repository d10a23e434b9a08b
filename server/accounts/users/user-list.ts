import type { AccountStore } from '../account-store.ts'

export const usersPerPage = 500
/** Above it, the list reads further pages from the store each time. */
export const maxCachedBytes = 16 * 1_024 * 1_024
/** Limits how long registrations on other nodes stay invisible. */
const lastPageMaxAgeMs = 1_000

interface Page {
  /** The users as JSON, without the brackets of the array. */
  bytes: Buffer
  lastOrder: number
  isFull: boolean
}

/**
 * Encoded list of users. It reads one page at a time, so that other reads of the store wait for one page at most. It
 * caches full pages for ever, because users are never removed.
 */
export function createUserList(store: Pick<AccountStore, 'listPage'>, maxBytes = maxCachedBytes) {
  const fullPages: Page[] = []
  let cachedBytes = 0
  let lastPage: { index: number; page: Page; readAtMs: number } | null = null
  const reading = new Map<number, Promise<Page>>()
  let version = 0

  async function read(index: number, afterOrder: number): Promise<Page> {
    const readVersion = version
    const rows = await store.listPage(afterOrder, usersPerPage)
    const page: Page = {
      bytes: Buffer.from(JSON.stringify(rows.map(({ user }) => user)).slice(1, -1)),
      lastOrder: rows.at(-1)?.order ?? afterOrder,
      isFull: rows.length === usersPerPage,
    }
    if (page.isFull && index === fullPages.length && cachedBytes + page.bytes.length <= maxBytes) {
      fullPages.push(page)
      cachedBytes += page.bytes.length
    }
    if (!page.isFull && readVersion === version) lastPage = { index, page, readAtMs: performance.now() }
    return page
  }

  function pageAt(index: number, afterOrder: number): Page | Promise<Page> {
    const full = fullPages[index]
    if (full !== undefined) return full
    const isFresh = lastPage !== null && performance.now() - lastPage.readAtMs < lastPageMaxAgeMs
    if (lastPage?.index === index && isFresh) return lastPage.page
    return reading.get(afterOrder) ?? startRead(index, afterOrder)
  }

  function startRead(index: number, afterOrder: number): Promise<Page> {
    const started = read(index, afterOrder).finally(() => {
      if (reading.get(afterOrder) === started) reading.delete(afterOrder)
    })
    reading.set(afterOrder, started)
    return started
  }

  return {
    /** Yields the chunks of a JSON array. */
    async *chunks(): AsyncGenerator<Buffer | string> {
      let afterOrder = 0
      for (let index = 0; ; index++) {
        const page = await pageAt(index, afterOrder)
        yield index === 0 ? '[' : page.bytes.length > 0 ? ',' : ''
        yield page.bytes
        if (!page.isFull) break
        afterOrder = page.lastOrder
      }
      yield ']'
    },
    /** After a registration, drops the cached last page and stops sharing reads that began before it. */
    invalidate(): void {
      version++
      lastPage = null
      reading.clear()
    },
    cachedBytes: () => cachedBytes,
  }
}
