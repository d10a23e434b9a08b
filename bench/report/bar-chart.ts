import { escapeXml, svgPage } from './svg-page.ts'

export interface Bar {
  label: string
  color: string
  value: number
  min: number
  max: number
  text: string
  isEmphasized?: boolean
}

export interface BarChart {
  title: string
  subtitle: string[]
  bars: Bar[]
  isLogarithmic?: boolean
}

/** Draws bars. A thin line on each bar shows the range of the runs. */
export function barChart({ title, subtitle, bars, isLogarithmic = false }: BarChart): string {
  const [width, top, rowHeight, left, plotWidth] = [920, 102, 34, 210, 560]
  const height = top + bars.length * rowHeight + 24
  const high = Math.max(...bars.map(({ max }) => max))
  const low = isLogarithmic ? Math.min(...bars.map(({ min }) => Math.max(min, 1e-9))) / 3 : 0
  const toWidth = (value: number) =>
    isLogarithmic
      ? Math.max(0, Math.log(Math.max(value, low) / low) / Math.log(high / low)) * plotWidth
      : (value / high) * plotWidth
  const body = bars.flatMap(({ label, color, value, min, max, text, isEmphasized }, index) => {
    const y = top + index * rowHeight
    const middle = y + 12
    const textX = left + Math.max(toWidth(value), toWidth(max)) + 10
    return [
      `<text class="ink${isEmphasized ? ' own' : ''}" x="${left - 12}" y="${middle + 4}" text-anchor="end">${escapeXml(label)}</text>`,
      `<rect x="${left}" y="${y}" width="${Math.max(1, toWidth(value)).toFixed(1)}" height="24" rx="4" fill="${color}" fill-opacity="${isEmphasized ? 1 : 0.75}"/>`,
      `<line class="axis" x1="${(left + toWidth(min)).toFixed(1)}" x2="${(left + toWidth(max)).toFixed(1)}" y1="${middle}" y2="${middle}" stroke-width="2"/>`,
      `<text class="ink${isEmphasized ? ' own' : ''}" x="${textX.toFixed(1)}" y="${middle + 4}">${escapeXml(text)}</text>`,
    ]
  })
  return svgPage(width, height, title, subtitle, body)
}
