import { planTable, shapeTable } from './tables.ts'

console.log(`${shapeTable()}\n\n${planTable()}`)
