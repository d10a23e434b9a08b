import { readFileSync } from 'node:fs'

// Preloaded into each thread of the server (`node --import`): shifts `Date.now()` by the offset in a file.
const file = process.env['CLOCK_FILE'] ?? ''
const readIntervalMs = 100
const realNow = Date.now
let offsetMs = 0

function readOffset(): void {
  try {
    offsetMs = Number(readFileSync(file, 'utf8'))
  } catch {
    offsetMs = 0
  }
}

readOffset()
setInterval(readOffset, readIntervalMs).unref()
Date.now = () => realNow() + offsetMs
