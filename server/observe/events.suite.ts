import type { Report, ServerEvent } from './events.ts'

export const ignoreEvents: Report = () => undefined

/** Returns a `Report` that collects the events. */
export function collectEvents() {
  const events: ServerEvent[] = []
  return {
    report: (event: ServerEvent) => void events.push(event),
    of: <Type extends ServerEvent['type']>(type: Type) =>
      events.filter((event): event is Extract<ServerEvent, { type: Type }> => event.type === type),
    types: () => events.map(({ type }) => type),
  }
}
