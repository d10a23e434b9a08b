import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

/**
 * Kysely on `node:sqlite`, in the thread that holds the database. Every statement is done when its call returns, so a
 * transaction is over before the thread takes up the next call: it never waits for another thread with the lock in hand.
 */
export function createSqliteDialect(database: DatabaseSync): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function createDriver(database: DatabaseSync): Driver {
  function run({ sql, parameters }: CompiledQuery): QueryResult<unknown> {
    const statement = database.prepare(sql)
    const values = parameters as SQLInputValue[]
    if (statement.columns().length > 0) return { rows: statement.all(...values) }
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
  }
  const connection: DatabaseConnection = {
    executeQuery: async <Row>(query: CompiledQuery) => run(query) as QueryResult<Row>,
    streamQuery: () => {
      throw new Error('The SQLite store does not stream.')
    },
  }

  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: async () => database.exec('BEGIN IMMEDIATE'),
    commitTransaction: async () => database.exec('COMMIT'),
    async rollbackTransaction() {
      // A full disk or a failed write ends the transaction by itself; to fail here would hide why.
      if (database.isTransaction) database.exec('ROLLBACK')
    },
    releaseConnection: async () => undefined,
    destroy: async () => database.close(),
  }
}
