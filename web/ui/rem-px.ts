/** Returns the font size of the root element in pixels; users can change it in the browser. */
export const remPx = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
