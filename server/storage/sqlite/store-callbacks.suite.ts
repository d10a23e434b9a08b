import { ignoreEvents } from '../../observe/events.suite.ts'
import type { SqliteStoreCallbacks } from './store-callbacks.ts'

export const ignoreStoreCallbacks: SqliteStoreCallbacks = { report: ignoreEvents, onDied: () => undefined }
