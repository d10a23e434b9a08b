import { workerData } from 'node:worker_threads'
import { serveCalls } from '../../sqlite/worker-calls.ts'
import type { AppendOutcome, LogEntry, LogRange, ReadPage, Retention, StoredMessage } from '../message-log.ts'
import { createSqliteLogStore } from './sqlite-log-store.ts'

export type LogRequest =
  | { kind: 'open' }
  | { kind: 'append'; entries: LogEntry[] }
  | { kind: 'read'; afterSeq: number; page: ReadPage }
  | { kind: 'check' }

export type LogAnswer =
  | { kind: 'opened'; epoch: string; range: LogRange }
  | { kind: 'appended'; outcomes: AppendOutcome[]; range: LogRange }
  | { kind: 'read'; messages: StoredMessage[] | null; range: LogRange }
  | { kind: 'checked' }

const trimIntervalMs = 1_000

const { file, retention } = workerData as { file: string; retention: Retention }
const store = createSqliteLogStore(file, retention)
// A quiet room forgets by age too; a busy one trims with each append.
const trimTimer = setInterval(() => store.trimIdle(), trimIntervalMs).unref()

serveCalls<LogRequest, LogAnswer>(
  (request): LogAnswer => {
    switch (request.kind) {
      case 'open':
        return { kind: 'opened', epoch: store.epoch, range: store.range() }
      case 'append':
        return { kind: 'appended', outcomes: store.append(request.entries), range: store.range() }
      case 'read':
        return { kind: 'read', messages: store.readAfter(request.afterSeq, request.page), range: store.range() }
      case 'check':
        store.checkWritable()
        return { kind: 'checked' }
    }
  },
  () => {
    clearInterval(trimTimer)
    store.close()
  },
)
