import type { BrowserContextOptions } from '@playwright/test'

/** Window and user preferences of a screenshot. */
export interface View {
  id: string
  /** Heading of the column in the gallery. */
  title: string
  context: BrowserContextOptions
  /** Text size in percent of the default. */
  text?: number
  direction?: 'rtl'
  isPrinted?: true
}

const schemes = ['light', 'dark'] as const
type Scheme = (typeof schemes)[number]

const windows = [
  { width: 390, height: 780 },
  { width: 820, height: 900 },
  { width: 1440, height: 900 },
]

const schemeViews = (scheme: Scheme): View[] =>
  windows.map(({ width, height }) => ({
    id: `${width}-${scheme}`,
    title: `${width} px, ${scheme}`,
    context: { viewport: { width, height }, colorScheme: scheme },
  }))

const view = (
  id: string,
  title: string,
  width: number,
  height: number,
  more: Omit<View, 'id' | 'title' | 'context'> = {},
  context: BrowserContextOptions = {},
): View => ({ id, title, context: { viewport: { width, height }, colorScheme: 'light', ...context }, ...more })

export const everyView: View[] = schemes.flatMap(schemeViews)

/** Views of the states of moderation: one wide, one narrow. */
export const moderatorViews = everyView.filter(({ id }) => id === '1440-light' || id === '390-light')

export const narrowViews = everyView.filter(({ context }) => (context.viewport?.width ?? 0) < 960)

/** Views of low windows: open keyboards, phones in landscape, zoomed pages. */
export const shortViews: View[] = [
  view('keyboard', 'Phone with open keyboard, 390 × 330', 390, 330),
  view('keyboard-dark', 'The same, dark', 390, 330, {}, { colorScheme: 'dark' }),
  view('landscape', 'Phone in landscape, 844 × 390', 844, 390),
  view('landscape-keyboard', 'Landscape with open keyboard, 844 × 190', 844, 190),
  view('zoom', '1280 × 1024 at 400 %, 320 × 256', 320, 256),
]

export const largeTextViews: View[] = [
  view('text-390', '390 px, text at 200 %', 390, 780, { text: 200 }),
  view('text-820', '820 px, text at 200 %', 820, 900, { text: 200 }),
  view('text-1280', '1280 px, text at 200 %', 1280, 800, { text: 200 }),
]

const forced = { forcedColors: 'active' } as const
const contrast = { contrast: 'more' } as const

export const preferenceViews: View[] = [
  view('forced-390', 'Forced colours, light', 390, 780, {}, forced),
  view('forced-390-dark', 'Forced colours, dark', 390, 780, {}, { ...forced, colorScheme: 'dark' }),
  view('contrast-390', 'More contrast, light', 390, 780, {}, contrast),
  view('contrast-390-dark', 'More contrast, dark', 390, 780, {}, { ...contrast, colorScheme: 'dark' }),
  view('rtl-390', 'Right to left', 390, 780, { direction: 'rtl' }),
  view('rtl-1280', 'Right to left, 1280 px', 1280, 800, { direction: 'rtl' }),
]

export const printViews: View[] = [view('paper', 'Printed', 794, 1123, { isPrinted: true })]
