/** How high the letters of the page are, as the reader has set them. */
export const remPx = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
