import type { ModerationStore } from '../../moderation/moderation-store.ts'

/** Call of a method of the moderation store. */
export interface ModerationCall {
  method: keyof ModerationStore
  args: unknown[]
}

/** Creates a moderation store whose methods all go through one function. */
export function forwardModeration(forward: (call: ModerationCall) => Promise<unknown>): ModerationStore {
  const createMethod = <Method extends keyof ModerationStore>(method: Method) =>
    ((...args: unknown[]) => forward({ method, args })) as ModerationStore[Method]
  return {
    load: createMethod('load'),
    apply: createMethod('apply'),
    isAllowed: createMethod('isAllowed'),
    listAudit: createMethod('listAudit'),
    noteNetwork: createMethod('noteNetwork'),
    listNetworks: createMethod('listNetworks'),
    eraseNames: createMethod('eraseNames'),
    sweep: createMethod('sweep'),
  }
}

export function runModerationCall(store: ModerationStore, { method, args }: ModerationCall): Promise<unknown> {
  // The compiler has checked the arguments where the method of `ModerationStore` was called.
  return (store[method] as (...args: unknown[]) => Promise<unknown>)(...args)
}
