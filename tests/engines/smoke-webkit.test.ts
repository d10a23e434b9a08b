import { webkit } from './webkit.ts'
import { smokeTests } from './smoke.suite.ts'

smokeTests(webkit)
