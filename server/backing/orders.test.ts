import { createLocalOrders } from './orders.ts'
import { describeOrders } from './orders.suite.ts'

describeOrders('of a process that stands alone', () => ({
  open: async () => ({ ...createLocalOrders(), close: async () => undefined }),
}))
