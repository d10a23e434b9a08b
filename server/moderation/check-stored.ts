import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { noRules } from '../../contract/constants.ts'
import { Announcement, RoomRules } from '../../contract/moderation.ts'
import type { LoadedModeration, StoredModeration } from './moderation-store.ts'

const ruleSchemas = new Map(Object.entries(RoomRules.properties).map(([key, schema]) => [key, Compile(schema)]))
const isAnnouncement = Compile(Type.Union([Announcement, Type.Null()]))

/** Checks the stored rules and the announcement. Treats an invalid value as not set, and passes its key to `onInvalid`. */
export function checkStored(loaded: LoadedModeration, onInvalid: (key: string) => void): StoredModeration {
  const rules: Record<string, unknown> & RoomRules = { ...noRules }
  for (const [key, value] of Object.entries(loaded.rules)) {
    if (ruleSchemas.get(key)?.Check(value) === true) rules[key] = value
    else onInvalid(key)
  }
  const { announcement } = loaded
  if (isAnnouncement.Check(announcement)) return { ...loaded, rules, announcement }
  onInvalid('announcement')
  return { ...loaded, rules, announcement: null }
}
