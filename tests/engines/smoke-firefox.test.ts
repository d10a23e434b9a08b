import { firefox } from './firefox.ts'
import { smokeTests } from './smoke.suite.ts'

smokeTests(firefox)
