import { workerData } from 'node:worker_threads'
import { storageFaultFrom } from '../../../base/fault-point.ts'
import { serveCalls } from '../serve-calls.ts'
import type { Lineage } from '../../../room/lineage.ts'
import type {
  AppendOutcome,
  OperatorMessage,
  LogEntry,
  LogRange,
  StoredSender,
  PageLimits,
  Retention,
  StoredMessage,
} from '../../../room/message-log.ts'
import type { Removal } from '../../../room/removals.ts'
import { createSqliteLogStore } from './sqlite-log-store.ts'

/** Calls of the storage thread for messages. */
export interface LogCalls {
  open: () => { lineage: Lineage; isNew: boolean; isEpochRenewed: boolean; range: LogRange; removal: Removal }
  append: (entries: readonly LogEntry[]) => { outcomes: AppendOutcome[]; range: LogRange }
  readAfter: (afterSeq: number, page: PageLimits) => { messages: StoredMessage[] | null; range: LogRange }
  remove: (seqs: readonly number[]) => Removal
  senderOf: (seq: number) => (StoredSender & { username: string }) | null
  seqsOfSender: (sender: StoredSender) => number[]
  listForOperator: (count: number, before?: number) => OperatorMessage[]
  checkWritable: () => void
}

const maintenanceIntervalMs = 1_000

const { file, retention } = workerData as { file: string; retention: Retention }
let opened: ReturnType<typeof createSqliteLogStore> | null = null
let maintenanceTimer: NodeJS.Timeout | undefined

function store() {
  if (opened === null) throw new Error('The log is not open.')
  return opened
}

serveCalls<LogCalls>({
  handlers: {
    open() {
      opened = createSqliteLogStore(file, retention)
      maintenanceTimer = setInterval(() => store().maintain(), maintenanceIntervalMs).unref()
      const { lineage, isNew, isEpochRenewed, range } = opened
      return { lineage, isNew, isEpochRenewed, range: range(), removal: opened.loadRemovals() }
    },
    append: (entries) => ({ outcomes: store().append(entries), range: store().range() }),
    readAfter: (afterSeq, page) => ({ messages: store().readAfter(afterSeq, page), range: store().range() }),
    remove: (seqs) => store().remove(seqs),
    senderOf: (seq) => store().query((queries) => queries.senderOf(seq)),
    seqsOfSender: (sender) => store().query((queries) => queries.seqsOfSender(sender)),
    listForOperator: (count, before) => store().query((queries) => queries.listForOperator(count, before)),
    checkWritable: () => store().checkWritable(),
  },
  close() {
    clearInterval(maintenanceTimer)
    opened?.close()
  },
  ...storageFaultFrom(process.env),
})
