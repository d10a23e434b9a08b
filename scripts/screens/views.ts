import type { BrowserContextOptions } from '@playwright/test'

/** How a state is looked at: by which window, with which wishes of its user. */
export interface View {
  id: string
  /** The heading of its column. */
  title: string
  context: BrowserContextOptions
  /** The size of text, in percent of the usual. */
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

export const narrowViews = everyView.filter(({ context }) => (context.viewport?.width ?? 0) < 960)

/** Little room: keyboards, phones on their side, zoomed pages. */
export const shortViews: View[] = [
  view('keyboard', 'A phone with its keyboard open, 390 × 330', 390, 330),
  view('keyboard-dark', 'The same, dark', 390, 330, {}, { colorScheme: 'dark' }),
  view('landscape', 'A phone on its side, 844 × 390', 844, 390),
  view('landscape-keyboard', 'On its side with its keyboard, 844 × 190', 844, 190),
  view('zoom', '1280 × 1024 at 400 %, 320 × 256', 320, 256),
]

export const largeTextViews: View[] = [
  view('text-390', '390 px, text at 200 %', 390, 780, { text: 200 }),
  view('text-820', '820 px, text at 200 %', 820, 900, { text: 200 }),
  view('text-1280', '1280 px, text at 200 %', 1280, 800, { text: 200 }),
]

const forced = { forcedColors: 'active' } as const
const contrast = { contrast: 'more' } as const

export const wishViews: View[] = [
  view('forced-390', 'Forced colours, light', 390, 780, {}, forced),
  view('forced-390-dark', 'Forced colours, dark', 390, 780, {}, { ...forced, colorScheme: 'dark' }),
  view('contrast-390', 'More contrast, light', 390, 780, {}, contrast),
  view('contrast-390-dark', 'More contrast, dark', 390, 780, {}, { ...contrast, colorScheme: 'dark' }),
  view('rtl-390', 'Right to left', 390, 780, { direction: 'rtl' }),
  view('rtl-1280', 'Right to left, 1280 px', 1280, 800, { direction: 'rtl' }),
]

export const paperViews: View[] = [view('paper', 'On paper', 794, 1123, { isPrinted: true })]
