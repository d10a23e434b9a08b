import { ListedUser } from '../../../contract/accounts.ts'
import { singleFlight } from '../../base/single-flight.ts'
import type { AccountStore } from '../account-store.ts'

export const usersPerPage = 500
/** Maximum size of the cached full pages. Above it, the list reads the other pages from the store each time. */
export const maxCachedBytes = 16 * 1_024 * 1_024

interface Page {
  /** Users as JSON, without the brackets of the array. */
  bytes: Buffer
  count: number
  lastOrder: number
}

const isFull = ({ count }: Page) => count === usersPerPage

/**
 * Creates the encoded list of users. It reads one page at a time, so that other reads of the store wait for one page at
 * most. It caches full pages, up to `maxBytes`, until `clear` is called. Each request reads the store after the last known
 * user, because any node may have registered another user. Concurrent requests share the read.
 */
export function createUserList(store: Pick<AccountStore, 'listPage'>, maxBytes = maxCachedBytes) {
  /** Full pages by the order number of the last user before the page. */
  const fullPages = new Map<number, Page>()
  let cachedBytes = 0
  let lastPage: { afterOrder: number; page: Page } | null = null
  /** Functions that read the pages that are not in `fullPages`, by the same order number. */
  const reads = new Map<number, () => Promise<Page>>()
  let version = 0

  async function read(afterOrder: number): Promise<Page> {
    const readVersion = version
    const empty: Page = { bytes: Buffer.alloc(0), count: 0, lastOrder: afterOrder }
    const known = lastPage?.afterOrder === afterOrder ? lastPage.page : empty
    const rows = await store.listPage(known.lastOrder, usersPerPage - known.count)
    const page = rows.length === 0 ? known : append(known, rows)
    if (readVersion !== version) return page
    if (!isFull(page)) lastPage = { afterOrder, page }
    else if (cachedBytes + page.bytes.length <= maxBytes) {
      fullPages.set(afterOrder, page)
      cachedBytes += page.bytes.length
      reads.delete(afterOrder)
    }
    return page
  }

  /**
   * Returns the page after a user. Concurrent requests share a read that begins after them, so each list has all users
   * registered before its request.
   */
  function pageAfter(afterOrder: number): Page | Promise<Page> {
    const full = fullPages.get(afterOrder)
    if (full !== undefined) return full
    const readPage = reads.get(afterOrder) ?? singleFlight(() => read(afterOrder))
    reads.set(afterOrder, readPage)
    return readPage()
  }

  return {
    /** Yields the chunks of a JSON array. */
    async *chunks(): AsyncGenerator<Buffer | string> {
      let page = await pageAfter(0)
      yield '['
      yield page.bytes
      while (isFull(page)) {
        page = await pageAfter(page.lastOrder)
        if (page.bytes.length > 0) yield ','
        yield page.bytes
      }
      yield ']'
    },
    /** Drops all pages and stops sharing reads that began earlier. */
    clear(): void {
      version++
      lastPage = null
      reads.clear()
      fullPages.clear()
      cachedBytes = 0
    },
    cachedBytes: () => cachedBytes,
  }
}

/** Fields of a user on the list. Other fields that the store returns stay private. */
const listedFields = Object.keys(ListedUser.properties) as (keyof ListedUser)[]
const listed = (user: ListedUser) => Object.fromEntries(listedFields.map((field) => [field, user[field]]))

function append({ bytes, count }: Page, rows: Awaited<ReturnType<AccountStore['listPage']>>): Page {
  const added = Buffer.from(JSON.stringify(rows.map(({ user }) => listed(user))).slice(1, -1))
  return {
    bytes: count === 0 ? added : Buffer.concat([bytes, Buffer.from(','), added]),
    count: count + rows.length,
    lastOrder: rows.at(-1)?.order ?? 0,
  }
}
