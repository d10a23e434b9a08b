const marker = (name: string) => ({ start: `<!-- generated:${name} -->`, end: `<!-- /generated:${name} -->` })

/** Replaces the content between the markers of this section. Throws unless the page has exactly one such section. */
export function replaceSection(page: string, name: string, content: string): string {
  const { start, end } = marker(name)
  const [before, rest, ...more] = page.split(start)
  const [, after, ...others] = rest?.split(end) ?? []
  if (before === undefined || after === undefined || more.length + others.length > 0)
    throw new Error(`the page needs exactly one section '${name}'`)
  return `${before}${start}\n${content}\n${end}${after}`
}
