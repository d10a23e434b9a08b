import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Socket } from 'socket.io-client'
import { events, moderationEvents } from '../../contract/events.ts'
import type { SendAck } from '../../contract/messages.ts'
import type { ModerationAck, ModeratorAction, RoomRules } from '../../contract/moderation.ts'
import { routes } from '../../contract/routes.ts'
import type { OperatorAction } from '../../server/moderation/moderation-actions.ts'
import type { TestServer } from './start-server.ts'

/** Time between two attempts while the server is busy. */
const retryMs = 100

const operator = { kind: 'operator' } as const

/** Acts as the operator on a server in this process. */
export const operate = ({ server }: Pick<TestServer, 'server'>, action: OperatorAction | ModeratorAction) =>
  server.moderation.perform(operator, action)

export const setRules = (server: Pick<TestServer, 'server'>, rules: Partial<RoomRules>) =>
  operate(server, { type: 'set-rules', rules })

/** Sends a message with an id, as the page does. */
export const sendText = (socket: Socket, message: string, id: string = randomUUID()): Promise<SendAck> =>
  socket
    .timeout(30_000)
    .emitWithAck(events.sendMessage, { username: 'bob', message, createdTime: 1 }, { id }) as Promise<SendAck>

export const moderate = (socket: Socket, action: unknown): Promise<ModerationAck> =>
  socket.timeout(30_000).emitWithAck(moderationEvents.moderate, action) as Promise<ModerationAck>

export interface TestAccount {
  id: string
  name: string
  password: string
  token: string
}

/** Registers an account. Repeats the call while the server rejects it with 503, as on a busy machine. */
export async function registerFrom(
  call: (path: string, body: unknown) => Promise<Response>,
  name: string,
): Promise<TestAccount> {
  const registration = { name, email: `${name}@example.org`, password: 'correct horse' }
  for (;;) {
    const response = await call(routes.register, registration)
    if (response.status === 503) {
      await pause(retryMs)
      continue
    }
    const { _id: id, token } = (await response.json()) as { _id: string; token: string }
    return { id, name, password: registration.password, token }
  }
}
