import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/project-root.ts'
import { mutants } from './mutants.ts'

test.each(Object.entries(mutants))(
  'DELIVERY-9 the mutant "%s" matches its source file once',
  (_name, { file, find }) => {
    expect(readFileSync(join(projectRoot, file), 'utf8').split(find)).toHaveLength(2)
  },
)
