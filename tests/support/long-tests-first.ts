import { statSync } from 'node:fs'
import type { TestSequencer, TestSpecification } from 'vitest/node'

/**
 * Order in which the projects start: first the projects whose tests wait for faults, timeouts and installations. The
 * short tests of the other projects run during these waits. The files of a project stay together, so that they can
 * share a process.
 */
const order = ['faults', 'operations', 'storage', 'security', 'delivery', 'api', 'docs', 'unit']

/**
 * Sequencer that starts the projects with long tests first, and the large files of a project before its small files.
 */
export class LongTestsFirst implements TestSequencer {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files.toSorted((a, b) => rank(a) - rank(b) || sizeOf(b) - sizeOf(a))
  }

  /** Returns all files: these tests never run in shards. */
  shard(files: TestSpecification[]): TestSpecification[] {
    return files
  }
}

function rank({ project }: TestSpecification): number {
  const index = order.indexOf(project.name)
  return index === -1 ? order.length : index
}

function sizeOf({ moduleId }: TestSpecification): number {
  return statSync(moduleId).size
}
