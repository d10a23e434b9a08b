import { createLocalRoster } from './roster.ts'
import { describeRoster } from './roster.suite.ts'

describeRoster('the roster of a single process', createLocalRoster)
