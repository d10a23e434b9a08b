import { settingSchema } from '../../server/config/setting-schema.ts'
import { code, table } from './tables.ts'

/** Returns the table of settings: name, default and description. */
export function settingsTable(): string {
  const rows = Object.values(settingSchema).map(({ name, default: value, defaultText, description }) => {
    const shown = defaultText ?? String(value ?? '')
    return [code(name), shown === '' ? '–' : shown, description]
  })
  return table(['variable', 'default', 'description'], rows)
}
