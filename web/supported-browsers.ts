/**
 * Oldest version of each supported browser; README.md lists the versions. Tailwind 4 requires Firefox 128. The build
 * lowers syntax and styles to these versions, and `npm run check` rejects newer APIs.
 */
export const supportedBrowsers = { chrome: '111', edge: '111', firefox: '128', safari: '16.4' } as const
