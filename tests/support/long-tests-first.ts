import { statSync } from 'node:fs'
import type { TestSequencer, TestSpecification } from 'vitest/node'

/** Projects whose tests wait for faults, timeouts and installations, longest first. */
const longProjects = ['faults', 'operations', 'storage', 'security', 'delivery']

/** Starts the projects with long tests first. The short CPU-bound tests run beside them instead of after them. */
export class LongTestsFirst implements TestSequencer {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files.toSorted((a, b) => rank(a) - rank(b) || sizeOf(b) - sizeOf(a))
  }

  /** These tests never run in shards. */
  shard(files: TestSpecification[]): TestSpecification[] {
    return files
  }
}

function rank({ project }: TestSpecification): number {
  const index = longProjects.indexOf(project.name)
  return index === -1 ? longProjects.length : index
}

function sizeOf({ moduleId }: TestSpecification): number {
  return statSync(moduleId).size
}
