import { escapeXml, shortNumber, svgPage } from './svg-page.ts'

interface Series {
  label: string
  color: string
  /** True for Chat Room, which the chart draws with thicker lines. */
  isEmphasized?: boolean
  points: { x: number; y: number }[]
}

export interface LineChart {
  title: string
  subtitle: string[]
  xLabel: string
  yLabel: string
  series: Series[]
  /** Labelled horizontal line. */
  limit?: { y: number; label: string }
}

function axisTicks(low: number, high: number): number[] {
  const ticks: number[] = []
  const steps = Math.log10(high / low) > 3 ? [1] : [1, 2, 5]
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of steps) ticks.push(step * 10 ** power)
  }
  return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001)
}

/** Draws a chart with two logarithmic axes, because rates, room sizes and costs span orders of magnitude. */
export function lineChart({ title, subtitle, xLabel, yLabel, series, limit }: LineChart): string {
  const visibleSeries = series.filter(({ points }) => points.length > 0)
  const [width, plotTop, plotHeight, left, plotWidth] = [920, 102, 360, 72, 600]
  const height = Math.max(plotTop + plotHeight + 64, plotTop + visibleSeries.length * 24 + 40)
  const xs = visibleSeries.flatMap(({ points }) => points.map(({ x }) => x))
  const ys = [
    ...visibleSeries.flatMap(({ points }) => points.map(({ y }) => y)),
    ...(limit === undefined ? [] : [limit.y]),
  ]
  const [xLow, xHigh, yLow, yHigh] = [Math.min(...xs), Math.max(...xs), Math.min(...ys) / 1.3, Math.max(...ys) * 1.3]
  const toX = (x: number) => left + (Math.log(x / xLow) / Math.log(xHigh / xLow || 2)) * plotWidth
  const toY = (y: number) => plotTop + plotHeight - (Math.log(y / yLow) / Math.log(yHigh / yLow)) * plotHeight
  const bottom = plotTop + plotHeight
  const body: string[] = []
  for (const tick of axisTicks(yLow, yHigh)) {
    body.push(
      `<line class="grid" x1="${left}" x2="${left + plotWidth}" y1="${toY(tick)}" y2="${toY(tick)}"/>`,
      `<text class="soft" x="${left - 8}" y="${toY(tick) + 4}" text-anchor="end">${shortNumber(tick)}</text>`,
    )
  }
  let lastTickX = -Infinity
  for (const tick of [...new Set(xs)].toSorted((a, b) => a - b)) {
    if (toX(tick) - lastTickX < 44) continue
    lastTickX = toX(tick)
    body.push(
      `<line class="grid" x1="${toX(tick)}" x2="${toX(tick)}" y1="${plotTop}" y2="${bottom}"/>`,
      `<text class="soft" x="${toX(tick)}" y="${bottom + 20}" text-anchor="middle">${shortNumber(tick)}</text>`,
    )
  }
  body.push(
    `<line class="axis" x1="${left}" x2="${left + plotWidth}" y1="${bottom}" y2="${bottom}"/>`,
    `<text class="soft" x="${left + plotWidth / 2}" y="${bottom + 46}" text-anchor="middle">${escapeXml(xLabel)}</text>`,
    `<text class="soft" transform="translate(20 ${plotTop + plotHeight / 2}) rotate(-90)" text-anchor="middle">${escapeXml(yLabel)}</text>`,
  )
  if (limit !== undefined) {
    body.push(
      `<line x1="${left}" x2="${left + plotWidth}" y1="${toY(limit.y)}" y2="${toY(limit.y)}" stroke="#d93025" stroke-dasharray="6 5"/>`,
      `<text x="${left + plotWidth - 6}" y="${toY(limit.y) - 6}" text-anchor="end" fill="#d93025">${escapeXml(limit.label)}</text>`,
    )
  }
  visibleSeries.forEach(({ label, color, isEmphasized, points }, index) => {
    const path = points.map(({ x, y }) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(' ')
    body.push(`<polyline class="line" points="${path}" stroke="${color}" stroke-width="${isEmphasized ? 3.5 : 2}"/>`)
    for (const { x, y } of points) {
      body.push(
        `<circle cx="${toX(x).toFixed(1)}" cy="${toY(y).toFixed(1)}" r="${isEmphasized ? 4.5 : 3.2}" fill="${color}"/>`,
      )
    }
    const legendY = plotTop + 12 + index * 24
    body.push(
      `<line x1="${left + plotWidth + 28}" x2="${left + plotWidth + 52}" y1="${legendY}" y2="${legendY}" stroke="${color}" stroke-width="${isEmphasized ? 3.5 : 2}"/>`,
      `<text class="ink${isEmphasized ? ' own' : ''}" x="${left + plotWidth + 60}" y="${legendY + 4}">${escapeXml(label)}</text>`,
    )
  })
  return svgPage(width, height, title, subtitle, body)
}
