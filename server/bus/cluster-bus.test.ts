import { createLocalOrders } from './cluster-bus.ts'
import { describeOrders } from './cluster-bus.suite.ts'

describeOrders('of a process that stands alone', () => ({
  open: async () => ({ ...createLocalOrders(), close: async () => undefined }),
}))
