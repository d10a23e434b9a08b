import { readFileSync } from 'node:fs'

// Put before the server (`node --import`), in each of its threads: its clock is off by what stands in a file.
const file = process.env['CLOCK_FILE'] ?? ''
const lookEveryMs = 100
const realNow = Date.now
let offsetMs = 0

function look(): void {
  try {
    offsetMs = Number(readFileSync(file, 'utf8'))
  } catch {
    offsetMs = 0
  }
}

look()
setInterval(look, lookEveryMs).unref()
Date.now = () => realNow() + offsetMs
