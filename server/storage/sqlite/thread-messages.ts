/** Calls that a storage thread serves, by name. */
export type CallMap<Calls> = { [Name in keyof Calls]: (...args: never[]) => unknown }

/** Message to a storage thread. `startByMs` is monotonic time, which all threads of a process share. */
export type Envelope = { id: number; name: string; args: unknown[]; startByMs: number } | 'close'

export type Reply =
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'error'; id: number; name: string; message: string; code: number | null }

export const monotonicMs = () => Number(process.hrtime.bigint() / 1_000_000n)
