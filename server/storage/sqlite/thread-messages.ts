/** What a storage thread can be asked, by name: the two sides of the thread share this type and nothing else. */
export type CallMap<Calls> = { [Name in keyof Calls]: (...args: never[]) => unknown }

/** `startByMs` is in monotonic time, which all threads of a process share. */
export type Envelope = { id: number; name: string; args: unknown[]; startByMs: number } | 'close'

export type Answer =
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'error'; id: number; name: string; message: string; code: number | null }

export const monotonicMs = () => Number(process.hrtime.bigint() / 1_000_000n)
