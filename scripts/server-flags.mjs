/**
 * How Node runs the server. A young generation of 8 MB instead of 32: a crowd of idle connections takes less than half
 * the memory (docs/decisions/006-young-generation.md).
 */
export const serverFlags = ['--max-semi-space-size=8']
