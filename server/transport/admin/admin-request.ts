import { type Static, Type } from 'typebox'

/** Body that the command line sends to the server. */
export const AdminRequest = Type.Object({
  argv: Type.Array(Type.String()),
  input: Type.Union([Type.String(), Type.Null()]),
})
export type AdminRequest = Static<typeof AdminRequest>

export type AdminResponse = { ok: true; data: unknown; text: string } | { ok: false; code: string; message: string }
