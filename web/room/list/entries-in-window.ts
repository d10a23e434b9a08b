import { remPx } from '../../ui/rem-px.ts'

/** An entry of one line. */
const leastEntryRem = 2

/** More entries than the list shows, so that there is something to scroll to. */
export const entriesInWindow = () => Math.ceil(window.innerHeight / (leastEntryRem * remPx()))
