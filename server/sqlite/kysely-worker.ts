import { workerData } from 'node:worker_threads'
import type { SQLInputValue } from 'node:sqlite'
import { openDatabase } from './open-database.ts'
import { serveCalls } from './worker-calls.ts'

export interface Query {
  sql: string
  parameters: SQLInputValue[]
}

export interface QueryOutcome {
  rows: unknown[]
  changes: number | bigint
}

const database = openDatabase((workerData as { file: string }).file)

serveCalls<Query, QueryOutcome>(
  ({ sql, parameters }) => {
    const statement = database.prepare(sql)
    if (statement.columns().length > 0) return { rows: statement.all(...parameters), changes: 0 }
    return { rows: [], changes: statement.run(...parameters).changes }
  },
  () => database.close(),
)
