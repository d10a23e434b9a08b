export interface Link {
  start: number
  text: string
  href: string
}

// A URL ends at whitespace, an angle bracket, a double quotation mark, an invisible character, or a backslash, which
// browsers treat as a slash.
const linkCandidates = /\bhttps?:\/\/[^\s<>"\\\p{C}\p{Default_Ignorable_Code_Point}\u2800]+/giu
// An invisible character that follows a URL: the text after it would look like a part of the URL.
const invisible = /^(?!\s)[\p{C}\p{Default_Ignorable_Code_Point}]/u
const authority = /^https?:\/\/([^/?#]+)/i
const asciiHost = /^[a-z0-9.:[\]-]{1,260}$/i
// Bidirectional embeddings, overrides and isolates make a text display in another order than it is stored.
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/
const trailingPunctuation = new Set(".,;:!?'’”»…")
const openerOf: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
const defaultPorts: Readonly<Record<string, string>> = { 'http:': ':80', 'https:': ':443' }

/** Removes trailing punctuation. A closing bracket stays if the URL contains an opening bracket for it. */
function withoutTrailingPunctuation(url: string): string {
  const counts = new Map<string, number>()
  for (const character of url) counts.set(character, (counts.get(character) ?? 0) + 1)
  const count = (character: string) => counts.get(character) ?? 0
  let end = url.length
  for (; end > 0; end--) {
    const last = url.charAt(end - 1)
    const opener = openerOf[last]
    const isUnopened = opener !== undefined && count(last) > count(opener)
    if (!isUnopened && !trailingPunctuation.has(last)) break
    counts.set(last, count(last) - 1)
  }
  return url.slice(0, end)
}

/** Returns the parsed URL; `null` for an invalid text. Replaces `URL.parse`, which not all supported browsers have. */
function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** Returns the target of a link; `null` unless the link opens exactly the host in its text, without a user name. */
function safeHref(text: string): string | null {
  const host = authority.exec(text)?.[1]?.toLowerCase()
  // Reject non-ASCII hosts: other scripts have characters that look like Latin letters, dots and slashes.
  if (host === undefined || !asciiHost.test(host)) return null
  const url = parseUrl(text)
  if (url === null || (url.host !== host && url.host + (defaultPorts[url.protocol] ?? '') !== host)) return null
  return url.href
}

/**
 * Returns the URLs in a message that are safe to show as links, in time linear in its length. A message with bidirectional controls
 * has none.
 */
export function findLinks(message: string): Link[] {
  if (bidiControls.test(message)) return []
  return [...message.matchAll(linkCandidates)].flatMap(({ 0: found, index: start }) => {
    if (invisible.test(message.slice(start + found.length, start + found.length + 2))) return []
    const text = withoutTrailingPunctuation(found)
    const href = safeHref(text)
    return href === null ? [] : [{ start, text, href }]
  })
}
