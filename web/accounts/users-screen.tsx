import { useEffect, useMemo, useRef, useState } from 'react'
import type { UserList } from '../../contract/accounts.ts'
import { Field } from '../ui/field.tsx'
import { PersonIcon } from '../ui/form-icons.tsx'
import { goBack } from '../shell/location.ts'
import { fetchUsers } from './calls.ts'
import { registrationToken } from './login-data.ts'

/** Minimum length of a list that the user can search. */
const searchableFrom = 10

const countText = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'user' : 'users'}`

const matches = (search: string) => {
  const wanted = search.trim().toLowerCase()
  return ({ name, email }: UserList[number]) =>
    name.toLowerCase().includes(wanted) || email.toLowerCase().includes(wanted)
}

export function UsersScreen() {
  const [users, setUsers] = useState<UserList>([])
  const [isLoading, setIsLoading] = useState(true)
  const [search, setSearch] = useState('')
  const shown = useMemo(() => users.filter(matches(search)), [users, search])
  const hasLeft = useRef(false)

  useEffect(() => {
    const token = registrationToken()
    if (token === null) {
      // `history.back` is asynchronous and StrictMode runs the effect twice: go back only once.
      if (!hasLeft.current) goBack()
      hasLeft.current = true
      return
    }
    const abort = new AbortController()
    fetchUsers(token, abort.signal)
      .then(setUsers)
      .catch((error: unknown) => {
        if (!abort.signal.aborted) console.error(error)
      })
      .finally(() => {
        if (!abort.signal.aborted) setIsLoading(false)
      })
    return () => abort.abort()
  }, [])

  return (
    <div className="mx-auto w-full max-w-3xl grow px-4 pt-4 pb-16 wide:px-6">
      <section className="sheet overflow-clip" aria-busy={isLoading}>
        <div className="border-b border-line px-5 py-5 phone:px-7">
          <h1 className="text-2xl font-semibold tracking-tight">Users</h1>
          <p className="mt-1 text-ink-soft">
            All registered users. They can see each other's names and e-mail addresses.
          </p>
          {users.length >= searchableFrom && (
            <Field
              className="mt-4"
              label="Search users"
              type="search"
              isFloating
              value={search}
              onChange={(event) => setSearch(event.target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <output className="mt-2 block text-sm text-ink-soft empty:hidden">
            {users.length > 0 &&
              (search === ''
                ? countText(users.length)
                : `${shown.length.toLocaleString()} of ${countText(users.length)}`)}
          </output>
        </div>
        {users.length > 0 ? (
          <ul className="divide-y divide-line">
            {shown.map(({ _id, name, email }) => (
              <li key={_id} className="user-row">
                <span className="grid size-10 shrink-0 place-items-center rounded-full bg-accent-soft text-accent">
                  <PersonIcon />
                </span>
                <span className="flex min-w-0 grow flex-wrap items-baseline justify-between gap-x-6 wrap-anywhere">
                  <bdi className="font-semibold">{name}</bdi> <bdi className="text-sm text-ink-soft">{email}</bdi>
                </span>
              </li>
            ))}
          </ul>
        ) : (
          <div className={`h-40 ${isLoading ? 'animate-breathe bg-sunken' : ''}`} />
        )}
      </section>
    </div>
  )
}
