import { ignoreEvents } from '../../observe/events.suite.ts'
import type { StoreEvents } from './store-events.ts'

export const ignoreStoreEvents: StoreEvents = { report: ignoreEvents, onDied: () => undefined }
