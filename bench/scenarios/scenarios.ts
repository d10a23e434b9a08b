import { browser } from './browser.ts'
import { ceiling } from './ceiling.ts'
import { manyConnections } from './many-connections.ts'
import { fanout } from './fanout.ts'
import { joinStorm } from './join-storm.ts'
import { manyToMany } from './many-to-many.ts'
import { nodes } from './nodes.ts'
import { rates } from './rates.ts'
import { restart } from './restart.ts'
import type { Scenario } from './scenario.ts'
import { slowConsumer } from './slow-consumer.ts'

export const allScenarios: Scenario[] = [
  ceiling,
  rates,
  fanout,
  manyConnections,
  manyToMany,
  joinStorm,
  slowConsumer,
  restart,
  nodes,
  browser,
]
