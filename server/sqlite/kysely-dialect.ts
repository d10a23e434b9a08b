import type { SQLInputValue } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Query, QueryOutcome } from './kysely-worker.ts'
import { startThread } from './worker-calls.ts'

/** Kysely on `node:sqlite` in a thread of its own: a slow or locked disk delays the query, never the event loop. */
export function createSqliteDialect(file: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(file),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** One connection, handed out to one holder at a time: a transaction's statements stay together. */
function createDriver(file: string): Driver {
  const thread = startThread<Query, QueryOutcome>(new URL('./kysely-worker.ts', import.meta.url), { file })
  let lastHolderDone: Promise<void> = Promise.resolve()
  const releases = new WeakMap<DatabaseConnection, () => void>()

  async function run({ sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> {
    const { rows, changes } = await thread.call({ sql, parameters: parameters as SQLInputValue[] })
    return { rows, numAffectedRows: BigInt(changes) }
  }
  const execute = async (sql: string) => {
    await run(CompiledQuery.raw(sql))
  }

  return {
    init: async () => undefined,
    async acquireConnection() {
      const connection: DatabaseConnection = {
        executeQuery: <Row>(query: CompiledQuery) => run(query) as Promise<QueryResult<Row>>,
        streamQuery: () => {
          throw new Error('The SQLite store does not stream.')
        },
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      const earlier = lastHolderDone
      lastHolderDone = promise
      releases.set(connection, resolve)
      await earlier
      return connection
    },
    beginTransaction: () => execute('BEGIN IMMEDIATE'),
    commitTransaction: () => execute('COMMIT'),
    rollbackTransaction: () => execute('ROLLBACK'),
    releaseConnection: async (connection) => releases.get(connection)?.(),
    destroy: () => thread.close(),
  }
}
