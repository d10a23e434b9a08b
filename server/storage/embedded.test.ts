import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../config/settings.ts'
import { ignoreEvents } from '../observe/events.suite.ts'
import { databaseNames, dataFiles } from './sqlite/data-folder.ts'
import { noMetrics } from '../observe/metrics-recorder.ts'
import { openEmbeddedStorage } from './embedded.ts'

test('OPERATING-2 every database is opened and closed, and no write-ahead log remains', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const resources = new AsyncDisposableStack()
  const settings = readSettings({ DATA_DIR: folder })
  await openEmbeddedStorage({ settings, report: ignoreEvents, metrics: noMetrics, resources })
  const logs = () => readdirSync(folder).filter((name) => name.endsWith('-wal'))
  expect(new Set(logs().map((name) => join(folder, name)))).toStrictEqual(
    new Set(databaseNames.map((name) => `${dataFiles(folder)[name]}-wal`)),
  )
  await resources.disposeAsync()
  expect(logs()).toStrictEqual([])
})
