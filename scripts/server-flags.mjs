/**
 * How Node runs the server: a young generation of 8 MB, so that idle connections take less than half the memory, and one
 * helping thread instead of four, so that marking does not take a small machine's only core from the room
 * (docs/decisions/006-garbage-collection.md). SIGUSR1 does not open the debugger, not even while the server starts.
 */
export const serverFlags = ['--max-semi-space-size=8', '--v8-pool-size=1', '--disable-sigusr1']
