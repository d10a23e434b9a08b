/** Colour of Chat Room. */
export const ownColor = '#1a73e8'
export const otherColors = [
  '#e8710a',
  '#188038',
  '#a142f4',
  '#d93025',
  '#129eaf',
  '#b06000',
  '#80868b',
  '#e52592',
  '#c0a000',
  '#7cb342',
]

const style = `
  .page { fill: #ffffff } .ink { fill: #202124 } .soft { fill: #5f6368 } .grid { stroke: #e3e5e8 } .axis { stroke: #9aa0a6 }
  text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; font-size: 13px }
  .title { font-size: 18px; font-weight: 600 } .own { font-weight: 600 } .line { fill: none; stroke-linejoin: round }
  @media (prefers-color-scheme: dark) {
    .page { fill: #16181c } .ink { fill: #e8eaed } .soft { fill: #9aa0a6 } .grid { stroke: #2e3238 } .axis { stroke: #5f6368 }
  }`

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (found) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[found] ?? found)
}

/** Returns a chart as an SVG document with title and subtitle lines. The colours follow prefers-color-scheme. */
export function svgPage(width: number, height: number, title: string, subtitle: string[], body: string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml([title, ...subtitle].join('. '))}">
<style>${style}
</style>
<rect class="page" width="${width}" height="${height}" rx="10"/>
<text class="ink title" x="24" y="36">${escapeXml(title)}</text>
${subtitle.map((line, index) => `<text class="soft" x="24" y="${58 + index * 18}">${escapeXml(line)}</text>`).join('\n')}
${body.join('\n')}
</svg>
`
}

export function shortNumber(value: number): string {
  if (value >= 1e9) return `${+(value / 1e9).toPrecision(3)} G`
  if (value >= 1e6) return `${+(value / 1e6).toPrecision(3)} M`
  if (value >= 1e4) return `${+(value / 1e3).toPrecision(3)} k`
  if (value >= 1_000) return value.toLocaleString('en')
  return String(+value.toPrecision(3))
}
