import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { createCloneWithPackages } from '../support/clone-project.ts'
import { findFreePort } from '../support/free-port.ts'
import { projectRoot } from '../support/project-root.ts'
import { enterRoom, waitUntilLive, room, sendMessage } from '../support/room-page.ts'

/** Starts the script of `npm run dev` in a copy of the sources, so that the test can change them. */
async function startDev() {
  const cleanUps: (() => void)[] = []
  const clone = createCloneWithPackages((clean) => cleanUps.push(clean))
  // The test needs its own empty cache. It needs no new build, because the copied build has the same sources.
  rmSync(join(clone, 'node_modules/.vite'), { recursive: true, force: true })
  cpSync(join(projectRoot, 'dist'), join(clone, 'dist'), { recursive: true })
  const port = await findFreePort()
  const child = spawn(process.execPath, [join(clone, 'scripts/dev.ts')], {
    cwd: clone,
    env: { ...process.env, PORT: String(port), DATA_DIR: join(clone, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  return {
    url: `http://localhost:${port}`,
    output: () => output,
    change(file: string, replace: (source: string) => string) {
      const path = join(clone, file)
      const source = readFileSync(path, 'utf8')
      expect(replace(source)).not.toBe(source)
      writeFileSync(path, replace(source))
    },
    async close() {
      child.kill('SIGTERM')
      const [code] = (await exit) as [number | null]
      for (const clean of cleanUps) clean()
      return code
    },
  }
}

test('DEV-1 npm run dev prints one address and no warning, and applies changes of page and server', async ({
  page,
}) => {
  const dev = await startDev()
  const problems: string[] = []
  let loads = 0
  page.on('load', () => loads++)
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`)
  })
  try {
    await expect.poll(dev.output, { timeout: 120_000 }).toContain(dev.url)
    await enterRoom(page, dev.url)
    await page.getByRole('link', { name: 'Register', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
    await page.goBack()
    await sendMessage(page, 'before the changes')
    await room(page).message.fill('a draft')
    expect(problems).toEqual([])

    dev.change('web/shell/navigation-bar.tsx', (source) => source.replace('>Chat Room<', '>Changed Room<'))
    await expect(page.getByRole('banner').getByText('Changed Room')).toBeVisible()
    await expect(room(page).message).toHaveValue('a draft')
    expect(loads).toBe(1)

    dev.change('server/main.ts', (source) => `${source}\nconsole.log('the changed server runs')\n`)
    await expect.poll(dev.output).toContain('the changed server runs')
    await waitUntilLive(page)
    await sendMessage(page, 'after the changes')
    await expect(room(page).entries).toHaveText([/ : before the changes$/, / : after the changes$/])
    expect(loads).toBe(1)
    expect(dev.output().match(/https?:\/\/\S+/g)).toEqual([dev.url])
    expect(dev.output()).not.toMatch(/warn|fail|error|\(!\)/i)
    expect(await dev.close()).toBe(0)
  } finally {
    await dev.close()
  }
})
