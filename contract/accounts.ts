import { type Static, Type } from 'typebox'
import { loginFailedStat, loginSuccessStat } from './constants.ts'
import { maxEmailCharacters } from './limits.ts'

/** Pattern of a valid e-mail address in the HTML standard. The server and `<input type="email">` accept the same syntax. */
const htmlEmailPattern =
  "^[a-zA-Z0-9.!#$%&'*+\\/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$"

export const RegistrationRequest = Type.Object({
  name: Type.String({ minLength: 1 }),
  email: Type.String({ maxLength: maxEmailCharacters, pattern: htmlEmailPattern }),
  password: Type.String({ minLength: 1 }),
})
export type RegistrationRequest = Static<typeof RegistrationRequest>

export const ListedUser = Type.Object({
  _id: Type.String(),
  name: Type.String(),
  email: Type.String(),
})
export type ListedUser = Static<typeof ListedUser>

export const RegistrationResponse = Type.Object({
  ...ListedUser.properties,
  token: Type.String(),
})
export type RegistrationResponse = Static<typeof RegistrationResponse>

export const LoginRequest = Type.Object({
  name: Type.String({ minLength: 1 }),
  password: Type.String({ minLength: 1 }),
})
export type LoginRequest = Static<typeof LoginRequest>

/** Body of `DELETE /account`. */
export const DeletionRequest = Type.Object({ password: Type.String({ minLength: 1 }) })
export type DeletionRequest = Static<typeof DeletionRequest>

export const LoginResponse = Type.Union([
  Type.Object({
    stat: Type.Literal(loginSuccessStat),
    name: Type.String(),
    token: Type.String(),
    role: Type.Optional(Type.Literal('moderator')),
  }),
  Type.Object({ stat: Type.Literal(loginFailedStat) }),
])
export type LoginResponse = Static<typeof LoginResponse>

export const UserList = Type.Array(ListedUser)
export type UserList = Static<typeof UserList>
