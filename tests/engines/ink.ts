import type { EnginePage } from './engine.ts'

/** Part of the window, in CSS pixels. */
export interface Area {
  left: number
  top: number
  width: number
  height: number
}

/**
 * Returns the number of pixels in each area of a screenshot that clearly differ from that area's first pixel, its
 * background.
 */
export async function inkIn(page: EnginePage, areas: Area[]): Promise<number[]> {
  const screenshot = await page.screenshot()
  return page.evaluate(
    async ({ source, parts }) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = image.width
      canvas.height = image.height
      const context = canvas.getContext('2d')
      if (context === null) throw new Error('no canvas')
      context.drawImage(image, 0, 0)
      const scale = image.width / window.innerWidth
      return parts.map(({ left, top, width, height }) => {
        const box = [left, top, width, height].map((px) => Math.round(px * scale)) as [number, number, number, number]
        const { data } = context.getImageData(...box)
        let ink = 0
        for (let at = 0; at < data.length; at += 4) {
          const differences = [0, 1, 2].map((channel) => Math.abs((data[at + channel] ?? 0) - (data[channel] ?? 0)))
          if (Math.max(...differences) > 40) ink++
        }
        return ink
      })
    },
    { source: `data:image/png;base64,${screenshot}`, parts: areas },
  )
}
