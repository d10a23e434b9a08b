import { escapeXml, svgPage } from './svg-page.ts'

export interface Bar {
  label: string
  color: string
  value: number
  min: number
  max: number
  text: string
  emphasized?: boolean
}

export interface BarChart {
  title: string
  subtitle: string
  bars: Bar[]
  logarithmic?: boolean
}

/** Bars with their spread as a thin line from the smallest to the largest run. */
export function barChart({ title, subtitle, bars, logarithmic = false }: BarChart): string {
  const [width, top, rowHeight, left, plotWidth] = [920, 84, 34, 210, 560]
  const height = top + bars.length * rowHeight + 24
  const high = Math.max(...bars.map(({ max }) => max))
  const low = logarithmic ? Math.min(...bars.map(({ min }) => Math.max(min, 1e-9))) / 3 : 0
  const toWidth = (value: number) =>
    logarithmic
      ? Math.max(0, Math.log(Math.max(value, low) / low) / Math.log(high / low)) * plotWidth
      : (value / high) * plotWidth
  const body = bars.flatMap(({ label, color, value, min, max, text, emphasized }, index) => {
    const y = top + index * rowHeight
    const middle = y + 12
    const textX = left + Math.max(toWidth(value), toWidth(max)) + 10
    return [
      `<text class="ink${emphasized ? ' own' : ''}" x="${left - 12}" y="${middle + 4}" text-anchor="end">${escapeXml(label)}</text>`,
      `<rect x="${left}" y="${y}" width="${Math.max(1, toWidth(value)).toFixed(1)}" height="24" rx="4" fill="${color}" fill-opacity="${emphasized ? 1 : 0.75}"/>`,
      `<line class="axis" x1="${(left + toWidth(min)).toFixed(1)}" x2="${(left + toWidth(max)).toFixed(1)}" y1="${middle}" y2="${middle}" stroke-width="2"/>`,
      `<text class="ink${emphasized ? ' own' : ''}" x="${textX.toFixed(1)}" y="${middle + 4}">${escapeXml(text)}</text>`,
    ]
  })
  return svgPage(width, height, title, subtitle, body)
}
