import type { AccountStore } from '../account-store.ts'

export const usersPerPage = 500
/** Beyond it, pages are read from the store each time. */
export const maxCachedBytes = 16 * 1_024 * 1_024
/** Another process may have registered somebody. */
const lastPageMaxAgeMs = 1_000

interface Page {
  /** The users as JSON, without the brackets of the list. */
  bytes: Buffer
  lastOrder: number
  isFull: boolean
}

/**
 * The list of users as it goes out. It is read a page at a time, so that whoever asks the store for a token in between
 * waits for one page at most; and a full page is read once, because nobody is ever taken off the list.
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
    const shared = reading.get(afterOrder) ?? read(index, afterOrder).finally(() => reading.delete(afterOrder))
    reading.set(afterOrder, shared)
    return shared
  }

  return {
    /** The pieces of a JSON array, to be written one after the other as the reader takes them. */
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
    /** Somebody has registered. */
    invalidate(): void {
      version++
      lastPage = null
    },
    cachedBytes: () => cachedBytes,
  }
}
