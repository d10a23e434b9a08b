export interface Link {
  start: number
  text: string
  href: string
}

// To the next blank, quotation mark or backslash, which browsers take for a slash, or to what is not drawn.
const linkCandidates = /\bhttps?:\/\/[^\s<>"\\\p{C}\p{Default_Ignorable_Code_Point}\u2800]+/giu
const authority = /^https?:\/\/([^/?#]+)/i
const asciiHost = /^[a-z0-9.:[\]-]{1,260}$/i
// Embeddings, overrides and isolates: with them a text is drawn in another order than it is read.
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/
const trailingPunctuation = new Set(".,;:!?'’”»…")
const openerOf: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
const defaultPorts: Readonly<Record<string, string>> = { 'http:': ':80', 'https:': ':443' }

/** What ends a sentence around an address is not part of it; a bracket is, where the address itself opened it. */
function withoutTrailingPunctuation(address: string): string {
  const counts = new Map<string, number>()
  for (const character of address) counts.set(character, (counts.get(character) ?? 0) + 1)
  const count = (character: string) => counts.get(character) ?? 0
  let end = address.length
  for (; end > 0; end--) {
    const last = address.charAt(end - 1)
    const opener = openerOf[last]
    const isUnopened = opener !== undefined && count(last) > count(opener)
    if (!isUnopened && !trailingPunctuation.has(last)) break
    counts.set(last, count(last) - 1)
  }
  return address.slice(0, end)
}

/** `URL.parse` is newer than the supported browsers. */
function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** Where a link leads, if it leads where its text says: to this very host, with no user name before it. */
function safeHref(text: string): string | null {
  const host = authority.exec(text)?.[1]?.toLowerCase()
  // Other scripts have letters that look like Latin ones, like a dot and like a slash.
  if (host === undefined || !asciiHost.test(host)) return null
  const url = parseUrl(text)
  if (url === null || (url.host !== host && url.host + (defaultPorts[url.protocol] ?? '') !== host)) return null
  return url.href
}

/** The addresses in a message that can be made into links; in time that grows with its length alone. */
export function findLinks(message: string): Link[] {
  if (bidiControls.test(message)) return []
  return [...message.matchAll(linkCandidates)].flatMap(({ 0: found, index: start }) => {
    const text = withoutTrailingPunctuation(found)
    const href = safeHref(text)
    return href === null ? [] : [{ start, text, href }]
  })
}
