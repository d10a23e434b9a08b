import type { Report, ServerEvent } from './events.ts'

export const ignoreEvents: Report = () => undefined

/** Creates a `report` function that collects the events, and functions that read the collected events. */
export function collectEvents() {
  const events: ServerEvent[] = []
  return {
    report: (event: ServerEvent) => void events.push(event),
    of: <Type extends ServerEvent['type']>(type: Type) =>
      events.filter((event): event is Extract<ServerEvent, { type: Type }> => event.type === type),
    types: () => events.map(({ type }) => type),
  }
}
