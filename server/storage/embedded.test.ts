import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../config/settings.ts'
import { databaseNames, dataFiles } from './sqlite/data-folder.ts'
import { openEmbeddedBacking } from './embedded.ts'

test('OPERATING-2 every database is opened, and closed: no write-ahead log is left behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const backing = await openEmbeddedBacking(readSettings({ DATA_DIR: folder }), pino({ enabled: false }))
  await backing.openLog({ stored: () => undefined, broken: () => undefined })
  const logs = () => readdirSync(folder).filter((name) => name.endsWith('-wal'))
  expect(new Set(logs().map((name) => join(folder, name)))).toStrictEqual(
    new Set(databaseNames.map((name) => `${dataFiles(folder)[name]}-wal`)),
  )
  await backing.close()
  expect(logs()).toStrictEqual([])
})
