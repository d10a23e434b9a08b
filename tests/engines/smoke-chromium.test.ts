import { chromium } from './chromium.ts'
import { smokeTests } from './smoke.suite.ts'

smokeTests(chromium)
