import { browser } from './browser.ts'
import { ceiling } from './ceiling.ts'
import { crowd } from './crowd.ts'
import { fanout } from './fanout.ts'
import { joinStorm } from './join-storm.ts'
import { manyToMany } from './many-to-many.ts'
import { nodes } from './nodes.ts'
import { rates } from './rates.ts'
import { restart } from './restart.ts'
import type { Scenario } from './scenario.ts'
import { slowReader } from './slow-reader.ts'

export const allScenarios: Scenario[] = [
  ceiling,
  rates,
  fanout,
  crowd,
  manyToMany,
  joinStorm,
  slowReader,
  restart,
  nodes,
  browser,
]
