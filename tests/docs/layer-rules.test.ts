import { expect, test } from 'vitest'
import { findLayerProblems } from '../../scripts/check/layer-rules.ts'

/** Returns the lint rules of a folder that must not import the other folders. */
const layer = (folder: string, ...others: string[]) => ({
  files: [`server/${folder}/**`],
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group: others.map((other) => `**/${other}/**`) }] }] },
})

test('LAYERS-1 the check reports a folder of the server that the lint rules do not name', () => {
  const overrides = [layer('base', 'limits', 'room'), layer('limits', 'room'), layer('room', 'accounts')]
  expect(findLayerProblems({ overrides }, ['base', 'limits', 'room'])).toStrictEqual([])
  expect(findLayerProblems({ overrides }, ['base', 'limits', 'polls'])).toStrictEqual([
    'no rule says which of server/base and server/polls may import the other',
    'no rule says which of server/limits and server/polls may import the other',
  ])
})
