import { createLocalBus } from './cluster-bus.ts'
import { describeClusterBus } from './cluster-bus.suite.ts'

describeClusterBus('of a single node', () => ({
  open: async () => ({ ...createLocalBus(), close: async () => undefined }),
}))
