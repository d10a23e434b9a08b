import { createMemoryLoginLedger } from './login-ledger.ts'
import { describeLoginLedger } from './login-ledger.suite.ts'

describeLoginLedger('in memory', async (now) => [createMemoryLoginLedger(now)])
