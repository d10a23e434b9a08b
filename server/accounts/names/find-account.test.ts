import { expect, test } from 'vitest'
import { maxTypedNameUnits } from '../../../contract/limits.ts'
import { findNameProblem } from '../../../contract/names.ts'
import { lookupKeys } from './find-account.ts'

test('NAMES-3 every name that can be registered is short enough to log in', () => {
  const names = Array.from({ length: maxTypedNameUnits }, (_, index) => 'a'.repeat(index + 1))
  const canRegister = names.filter((name) => findNameProblem(name) === null)
  expect(canRegister).not.toStrictEqual([])
  expect(canRegister.filter((name) => lookupKeys(name) === null)).toStrictEqual([])
})
