import { planTable, validationTable } from './tables.ts'

console.log(`${validationTable()}\n\n${planTable()}`)
