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
 * Creates a Kysely dialect for `node:sqlite`, used in the storage thread. Statements are synchronous, so a transaction
 * ends before the thread handles the next call, and the thread never holds the write lock while it waits.
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
      // SQLite itself rolls back after a full disk or an I/O error. An error from ROLLBACK would hide the cause.
      if (database.isTransaction) database.exec('ROLLBACK')
    },
    releaseConnection: async () => undefined,
    destroy: async () => database.close(),
  }
}
