import { expect, test } from 'vitest'
import { createUserList } from './user-list.ts'

/** Returns a store with `count` users that records its reads. */
function storeOf(count: number) {
  const reads: number[] = []
  const users = Array.from({ length: count }, (_, i) => userOf(i + 1))
  return {
    reads,
    register: () => void users.push(userOf(users.length + 1)),
    deleteFirst: () => void users.shift(),
    async listPage(afterOrder: number, maxUsers: number) {
      reads.push(afterOrder)
      const rows = users.map((user) => ({ order: Number(user._id.slice('id '.length)), user }))
      return rows.filter(({ order }) => order > afterOrder).slice(0, maxUsers)
    },
  }
}
const userOf = (order: number) => ({ _id: `id ${order}`, name: `user ${order}`, email: `${order}@example.org` })

type UserList = ReturnType<typeof createUserList>
async function read(list: UserList): Promise<unknown[]> {
  let text = ''
  for await (const chunk of list.chunks()) text += chunk.toString()
  return JSON.parse(text) as unknown[]
}

test.each([0, 1, 499, 500, 501, 1_000, 1_234])(
  'API-3 a list of %d users is in the order of registration',
  async (count) => {
    const list = createUserList(storeOf(count))
    expect(await read(list)).toStrictEqual(Array.from({ length: count }, (_, i) => userOf(i + 1)))
  },
)

test('API-3 the list has only the fields of its schema, whatever the store returns', async () => {
  const user = { ...userOf(1), passwordHash: 'secret', settings: { name: 'secret' } }
  const list = createUserList({ listPage: async (afterOrder) => (afterOrder === 0 ? [{ order: 1, user }] : []) })
  expect(await read(list)).toStrictEqual([userOf(1)])
})

test('LIMITS-7 full pages are read once, and concurrent requests share one read', async () => {
  const store = storeOf(1_234)
  const list = createUserList(store)
  await Promise.all(Array.from({ length: 20 }, () => read(list)))
  expect(store.reads).toStrictEqual([0, 500, 1_000])
  // A later request reads only new users.
  await read(list)
  expect(store.reads).toStrictEqual([0, 500, 1_000, 1_234])
})

test('API-3 a new user is on the list, even if another request reads the list during the registration', async () => {
  const store = storeOf(999)
  const list = createUserList(store)
  expect(await read(list)).toHaveLength(999)
  const reading = read(list)
  store.register()
  await reading
  expect(await read(list)).toHaveLength(1_000)
  store.register()
  expect(await read(list)).toHaveLength(1_001)
})

test('API-3 a list requested after a registration does not share a read that began before it', async () => {
  const store = storeOf(1)
  const pending: (() => void)[] = []
  const list = createUserList({
    async listPage(afterOrder, maxUsers) {
      const rows = await store.listPage(afterOrder, maxUsers)
      await new Promise<void>((resolve) => pending.push(resolve))
      return rows
    },
  })
  const before = read(list)
  await expect.poll(() => pending.length).toBe(1)
  store.register()
  const after = [read(list), read(list)]
  pending.shift()?.()
  expect(await before).toHaveLength(1)
  await expect.poll(() => pending.length).toBe(1)
  pending.shift()?.()
  for (const users of await Promise.all(after)) expect(users).toHaveLength(2)
  expect(store.reads).toHaveLength(2)
})

test('API-3 a user registered on another node is on the next list', async () => {
  const store = storeOf(499)
  const list = createUserList(store)
  for (let count = 499; count <= 1_002; count++) {
    const users = await read(list)
    expect(users).toHaveLength(count)
    expect(users.at(-1)).toStrictEqual(userOf(count))
    store.register()
  }
})

test('API-3 a deleted user is off the list once the cache is cleared, also if a request was reading the list', async () => {
  const store = storeOf(1_234)
  const list = createUserList(store)
  await read(list)
  const reading = read(list)
  store.deleteFirst()
  list.clear()
  await reading
  expect(await read(list)).toStrictEqual(Array.from({ length: 1_233 }, (_, i) => userOf(i + 2)))
  expect(list.cachedBytes()).toBeGreaterThan(0)
})

test('LIMITS-7 the size of the cache is bounded', async () => {
  const list = createUserList(storeOf(5_000), 100_000)
  expect(await read(list)).toHaveLength(5_000)
  expect(list.cachedBytes()).toBeLessThanOrEqual(100_000)
  expect(await read(list)).toHaveLength(5_000)
})
