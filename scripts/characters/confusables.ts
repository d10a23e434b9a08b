// Writes `server/accounts/names/confusables.ts` from the Unicode data of the Debian packages python3-confusable-homoglyphs
// and unicode-data: `node scripts/characters/confusables.ts <confusables.json> <UnicodeData.txt>`.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fromHex } from '../../server/accounts/names/skeleton.ts'

const [
  source = '/usr/lib/python3/dist-packages/confusable_homoglyphs/confusables.json',
  characterData = '/usr/share/unicode/UnicodeData.txt',
] = process.argv.slice(2)
const target = fileURLToPath(new URL('../../server/accounts/names/confusables.ts', import.meta.url))
const prototypesPerLine = 24

type Homoglyphs = Record<string, { c: string }[]>

/** Returns the text without the left-to-right marks around right-to-left examples. */
const removeMarks = (text: string) => text.replace(/\u200e/g, '')
const isSingle = (text: string) => [...text].length === 1

/**
 * Returns the prototype of each confusable character. The data lists each pair under both characters. Unicode maps many
 * characters to one prototype, so a character with several partners is a prototype. If neither character of a pair has several
 * partners, the direction is unknown; the smaller character becomes the prototype.
 */
function readPrototypes(homoglyphs: Homoglyphs): Map<string, string> {
  const prototypes = new Map<string, string>()
  for (const [markedKey, partners] of Object.entries(homoglyphs)) {
    const key = removeMarks(markedKey)
    const [first, ...more] = partners.map(({ c }) => c)
    if (first === undefined || more.length > 0 || !isSingle(key)) continue
    const partner = removeMarks(first)
    const isMutual = homoglyphs[first]?.length === 1 && isSingle(partner)
    if (isMutual && key < partner) continue
    prototypes.set(key, partner)
  }
  return prototypes
}

interface Character {
  text: string
  name: string
  combiningClass: number
}

function readCharacters(lines: string[]): Character[] {
  return lines.map((line) => {
    const [code = '', name = '', , combiningClass] = line.split(';')
    return { text: String.fromCodePoint(Number.parseInt(code, 16)), name, combiningClass: Number(combiningClass) }
  })
}

const overlayClass = 1
const oneOverlay = '\u0338'

/**
 * Returns the name of the letter that a small capital looks like: the small letter in Latin, the capital in Greek and
 * Cyrillic. A small Cherokee letter looks like the capital. Returns `null` for other characters.
 */
function lookAlikeName(name: string): string | null {
  const [, latin] =
    /^LATIN (?:LETTER SMALL CAPITAL|SMALL CAPITAL LETTER|CAPITAL LETTER SMALL CAPITAL) (.+)$/.exec(name) ?? []
  if (latin !== undefined) return `LATIN SMALL LETTER ${latin}`
  const [, script, letter] = /^(GREEK|CYRILLIC) LETTER SMALL CAPITAL (.+)$/.exec(name) ?? []
  if (script !== undefined) return `${script} CAPITAL LETTER ${letter}`
  return name.startsWith('CHEROKEE SMALL LETTER ') ? name.replace('SMALL ', '') : null
}

/** Pairs of a common letter and a letter that looks like it at the size of a name in common fonts. */
const additionalPairs =
  'bɓ BƁ dɖ DƉ dɗ DƊ kƙ KƘ yƴ YƳ РҎ рҏ ЬҌ ьҍ КҜ кҝ КҞ кҟ КԞ кԟ ЧҸ чҹ ЧꞍ ρϼ Иⵍ 日曰 未末 己已 己巳 土士 戊戌 戊戍 l丨 x乂 T丅 L乚'

/**
 * Letters and vowel signs that look exactly like a sequence of others, in hexadecimal code points: letter=sequence. They
 * come from the lists of sequences to avoid in the Unicode standard, in the chapters about South and Southeast Asia.
 */
const sequences = [
  '949=93e+945 94a=93e+946 94b=93e+947 94c=93e+948 972=905+945', // Devanagari
  'ac9=abe+ac5 acb=abe+ac7 acc=abe+ac8', // Gujarati
  '9ce=9a4+9cd', // Bengali
  'd86=d85+dcf d87=d85+dd0 d88=d85+dd1 dd1=dd0 d8c=d8b+ddf d8e=d8d+dd8 d90=d8f+ddf', // Sinhala
  'd92=d91+dca d93=d91+dd9 d95=d94+dca d96=d94+ddf',
  'ec1=ec0+ec0', // Lao
  '17be=17c1+17b8 17c4=17c1+17b6 17c5=17c2+17b6', // Khmer
  'c06=c05+c3e c8a=c89+cbe d06=d05+d3e', // Telugu, Kannada and Malayalam
]

const pairs = (list: string): [string, string][] =>
  list.split(' ').map((pair) => {
    const [common = '', rare = ''] = [...pair]
    return [rare, common]
  })

const sequencePairs = sequences
  .flatMap((line) => line.split(' '))
  .map((entry): [string, string] => {
    const [letter = '', sequence = ''] = entry.split('=')
    return [fromHex(letter), fromHex(sequence)]
  })

/** Returns the prototypes of further characters that look alike. These prototypes override those of Unicode's file. */
function readAlike(characters: Character[]): Map<string, string> {
  const byName = new Map(characters.map(({ name, text }) => [name, text]))
  const alike = new Map([['w', 'vv'], ['d', 'cl'], ...pairs(additionalPairs), ...sequencePairs])
  for (const { text, name, combiningClass } of characters) {
    const lookAlike = byName.get(lookAlikeName(name) ?? '')
    if (lookAlike !== undefined) alike.set(text, lookAlike)
    if (combiningClass === overlayClass && text !== oneOverlay) alike.set(text, oneOverlay)
  }
  return alike
}

/** Replaces characters by their prototypes until nothing changes: a prototype may contain characters with a prototype. */
function skeletonOf(text: string, prototypes: Map<string, string>): string {
  let skeleton = text
  for (let step = 0; ; step++) {
    if (step > 10) throw new Error(`the prototypes of ${text} do not converge: ${skeleton}`)
    const next = [...skeleton.normalize('NFD')].map((character) => prototypes.get(character) ?? character).join('')
    if (next === skeleton) return skeleton
    skeleton = next
  }
}

/**
 * Returns whether the NFD form of a normalized name can contain the character. `skeleton` looks up the characters of that
 * form, so other characters need no entry.
 */
function canOccur(character: string): boolean {
  return character.normalize('NFKC') === character && character.normalize('NFD') === character
}

const prototypes = readPrototypes(JSON.parse(readFileSync(source, 'utf8')) as Homoglyphs)
const characters = readCharacters(readFileSync(characterData, 'utf8').trim().split('\n'))
for (const [character, prototype] of readAlike(characters)) prototypes.set(character, prototype)
prototypes.delete(oneOverlay)
const groups = new Map<string, string[]>()
for (const character of prototypes.keys()) {
  if (!canOccur(character)) continue
  const skeleton = skeletonOf(character, prototypes)
  groups.set(skeleton, [...(groups.get(skeleton) ?? []), character])
}

const hex = (text: string) => [...text].map((character) => character.codePointAt(0)?.toString(16)).join('+')
const entries = [...groups]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([skeleton, characters]) => `${hex(skeleton)}=${characters.toSorted().map(hex).join(' ')}`)
const lines = Array.from({ length: Math.ceil(entries.length / prototypesPerLine) }, (_, index) =>
  entries.slice(index * prototypesPerLine, (index + 1) * prototypesPerLine).join(';'),
)

writeFileSync(
  target,
  `// Generated by scripts/characters/confusables.ts. Derived from Unicode's confusables.txt and UnicodeData.txt, © Unicode, Inc., used under the
// Unicode License (https://www.unicode.org/license.txt). Hexadecimal code points: skeleton=look-alikes;…
export const confusables = [
${lines.map((line) => `  '${line}',`).join('\n')}
]
`,
)
console.log(`${groups.size} skeletons, ${[...groups.values()].flat().length} characters → ${target}`)
