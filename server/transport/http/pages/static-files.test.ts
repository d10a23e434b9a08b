import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StartError } from '../../../base/start-error.ts'
import { loadStaticFiles } from './static-files.ts'

test('START-1 a built file whose extension has no content type stops the start', () => {
  const root = mkdtempSync(join(tmpdir(), 'chat-room-pages-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'assets'))
  for (const name of ['index.html', 'assets/page.js', 'assets/page.js.br', '.hidden'])
    writeFileSync(join(root, name), '')
  const load = () => loadStaticFiles({ root, earlier: [] })
  expect([...load().keys()]).toStrictEqual(['/index.html', '/assets/page.js'])
  const file = join(root, 'assets', 'picture.avif')
  writeFileSync(file, '')
  expect(load).toThrow(StartError)
  expect(load).toThrow(`${file}: unknown file type`)
})
