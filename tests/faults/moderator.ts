import { setTimeout as pause } from 'node:timers/promises'
import { adminCommand } from '../support/admin-command.ts'
import type { ReceivedMessage } from './client.ts'
import type { HistoryEvent } from './history.ts'
import { createRandom } from './random.ts'

const removeEveryMs = 200
/** Maximum time to wait for a command. A stopped server does not respond, but may still remove the message. */
const commandTimeoutMs = 3_000

interface ModeratorOptions {
  seed: number
  /** Admin sockets of all nodes. */
  adminSockets: readonly string[]
  /** Returns the messages to choose from. */
  candidates: () => readonly ReceivedMessage[]
  record: (event: HistoryEvent) => void
}

/** Removes messages during a run, through the command line of the server. */
export function startModerator({ seed, adminSockets, candidates, record }: ModeratorOptions) {
  const random = createRandom(`moderator ${seed}`)
  const chosen = new Set<string>()
  let [isStopped, removedCount] = [false, 0]

  async function removeOne(): Promise<void> {
    const messages = candidates().filter(({ key }) => !chosen.has(key))
    if (messages.length === 0) return
    const { key, body, position } = random.pick(messages)
    chosen.add(key)
    record({ type: 'removing', key, body, ...position })
    const socket = random.pick(adminSockets)
    const command = adminCommand(socket, ['messages', 'remove', `${position.seq}`, '--json']).catch(() => null)
    const result = await Promise.race([command, pause(commandTimeoutMs, null, { ref: false })])
    if (result?.exitCode !== 0) return
    removedCount++
    record({ type: 'removed', ...position })
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      await removeOne()
      await pause(removeEveryMs)
    }
  }
  const running = run()

  return {
    removedCount: () => removedCount,
    async stop(): Promise<void> {
      isStopped = true
      await running
    },
  }
}
