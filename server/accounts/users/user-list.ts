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
 * caches full pages until `clear` is called: a registration changes only the last page.
 */
export function createUserList(store: Pick<AccountStore, 'listPage'>, maxBytes = maxCachedBytes) {
  /** By the order number of the last user before the page. */
  const fullPages = new Map<number, Page>()
  let cachedBytes = 0
  let lastPage: { afterOrder: number; page: Page; readAtMs: number } | null = null
  const reading = new Map<number, Promise<Page>>()
  let version = 0

  async function read(afterOrder: number): Promise<Page> {
    const readVersion = version
    const rows = await store.listPage(afterOrder, usersPerPage)
    const page: Page = {
      bytes: Buffer.from(JSON.stringify(rows.map(({ user }) => user)).slice(1, -1)),
      lastOrder: rows.at(-1)?.order ?? afterOrder,
      isFull: rows.length === usersPerPage,
    }
    if (readVersion !== version) return page
    if (!page.isFull) lastPage = { afterOrder, page, readAtMs: performance.now() }
    else if (cachedBytes + page.bytes.length <= maxBytes) {
      fullPages.set(afterOrder, page)
      cachedBytes += page.bytes.length
    }
    return page
  }

  function pageAfter(afterOrder: number): Page | Promise<Page> {
    const full = fullPages.get(afterOrder)
    if (full !== undefined) return full
    const isFresh = lastPage !== null && performance.now() - lastPage.readAtMs < lastPageMaxAgeMs
    if (lastPage?.afterOrder === afterOrder && isFresh) return lastPage.page
    return reading.get(afterOrder) ?? startRead(afterOrder)
  }

  function startRead(afterOrder: number): Promise<Page> {
    const started = read(afterOrder).finally(() => {
      if (reading.get(afterOrder) === started) reading.delete(afterOrder)
    })
    reading.set(afterOrder, started)
    return started
  }

  function invalidate(): void {
    version++
    lastPage = null
    reading.clear()
  }

  return {
    /** Yields the chunks of a JSON array. */
    async *chunks(): AsyncGenerator<Buffer | string> {
      let page = await pageAfter(0)
      yield '['
      yield page.bytes
      while (page.isFull) {
        page = await pageAfter(page.lastOrder)
        if (page.bytes.length > 0) yield ','
        yield page.bytes
      }
      yield ']'
    },
    /** After a registration, drops the cached last page and stops sharing reads that began before it. */
    invalidate,
    /** After a deletion, drops all pages. */
    clear(): void {
      invalidate()
      fullPages.clear()
      cachedBytes = 0
    },
    cachedBytes: () => cachedBytes,
  }
}
