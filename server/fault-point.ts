import type { RoomHooks } from './room/room.ts'

const trigger = 'fault-point'

/** In tests only: kills the process at the named point, at the first message whose text contains the trigger. */
export function faultPointFrom(env: Record<string, string | undefined>): Pick<RoomHooks, 'faultPoint'> {
  const wanted = env['FAULT_POINT']
  if (env['NODE_ENV'] !== 'test' || wanted === undefined) return {}
  return {
    faultPoint(point, entries) {
      if (point === wanted && entries.some(({ message }) => message.message.includes(trigger))) {
        process.kill(process.pid, 'SIGKILL')
      }
    },
  }
}
