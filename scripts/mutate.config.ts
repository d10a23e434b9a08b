import { defineConfig } from 'vitest/config'
import base from '../vitest.config.ts'

/** Configuration of the unit tests. The run uses only unit tests, because Stryker repeats tests for each mutant. */
const [unit] = base.test?.projects ?? []
if (typeof unit !== 'object' || !('test' in unit)) throw new Error('the first Vitest project must be the unit tests')

/** Timeout of a test. It is long, because instrumented code is slower, and Stryker itself ends a mutant that loops. */
const timeoutMs = 600_000

/** Tests that cannot run: a test sets the time zone of its process, and Stryker runs tests in threads. */
const exclude = ['web/room/entry/time-format.test.ts']

export default defineConfig({ test: { ...unit.test, exclude, testTimeout: timeoutMs, hookTimeout: timeoutMs } })
