import { readFileSync } from 'node:fs'

// This module shifts `Date.now()` by the offset in a file. Each thread of the server preloads it (`node --import`).
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
