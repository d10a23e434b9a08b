import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { onlinePanelMaxHeightRem, smallScreenBreakpointPx } from '../../contract/constants.ts'

const styles = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')

test('NAV-4 the style sheet and the script change over at the same width', () => {
  expect(styles('./theme.css')).toContain(`--breakpoint-wide: ${smallScreenBreakpointPx}px;`)
})

test('CHAT-2 the online panel is as high as the script believes', () => {
  expect(styles('../room/online/online.css')).toContain(`max-height: ${onlinePanelMaxHeightRem}rem;`)
})
