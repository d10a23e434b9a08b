import { Cursor } from '../../contract/messages.ts'

const cursorFields = Object.keys(Cursor.properties) as (keyof Cursor)[]

/**
 * Returns the cursor of a client with only its known fields. The server keeps cursors while a client waits, and other
 * fields could take memory that no limit counts.
 */
export function knownFieldsOf(cursor: Cursor): Cursor {
  const known: Record<string, unknown> = {}
  for (const field of cursorFields) if (cursor[field] !== undefined) known[field] = cursor[field]
  return known as Cursor
}
