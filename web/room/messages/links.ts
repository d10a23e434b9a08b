export type TextPart = { kind: 'text'; text: string } | { kind: 'link'; text: string; href: string }

const candidate = /\bhttps?:\/\/[^\s<>"]+/giu
const trailingPunctuation = /[.,;:!?'’”»…]$/u
const closers: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

const count = (text: string, character: string) => text.split(character).length - 1

/** What ends a sentence around an address is not part of it; a bracket is, where the address itself opened it. */
function withoutTrailingPunctuation(address: string): string {
  for (;;) {
    const last = address.at(-1) ?? ''
    const opener = closers[last]
    const unopened = opener !== undefined && count(address, last) > count(address, opener)
    if (!unopened && !trailingPunctuation.test(address)) return address
    address = address.slice(0, -1)
  }
}

function safeAddress(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || url.hostname === '') return null
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null
}

/** Cuts a message into text and safe links. Joined again, the parts are the message to the letter. */
export function textParts(message: string): TextPart[] {
  const parts: TextPart[] = []
  let done = 0
  for (const match of message.matchAll(candidate)) {
    const text = withoutTrailingPunctuation(match[0])
    const href = safeAddress(text)
    if (href === null) continue
    if (match.index > done) parts.push({ kind: 'text', text: message.slice(done, match.index) })
    parts.push({ kind: 'link', text, href })
    done = match.index + text.length
  }
  if (done < message.length) parts.push({ kind: 'text', text: message.slice(done) })
  return parts
}
