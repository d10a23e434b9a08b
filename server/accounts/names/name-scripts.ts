import { recommendedLetters } from './recommended-letters.ts'

/** Those that Unicode (UAX 31) calls recommended or of limited use: people write with them today. */
const livingScripts = (
  'Latin Greek Cyrillic Arabic Armenian Bengali Bopomofo Devanagari Ethiopic Georgian Gujarati Gurmukhi Hangul Han Hebrew ' +
  'Hiragana Kannada Katakana Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan Adlam Balinese ' +
  'Bamum Batak Canadian_Aboriginal Chakma Cham Cherokee Hanifi_Rohingya Javanese Kayah_Li Lepcha Limbu Lisu Mandaic ' +
  'Meetei_Mayek Miao Mongolian New_Tai_Lue Newa Nko Nyiakeng_Puachue_Hmong Ol_Chiki Osage Saurashtra Sundanese ' +
  'Syloti_Nagri Syriac Tai_Le Tai_Tham Tai_Viet Tifinagh Vai Wancho Yi'
).split(' ')

/** Written together every day, also with Latin letters (UTS 39, highly restrictive). */
const writtenTogether = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
]

/** Made for the first name that is judged: every start would wait for it. */
let ofOneScript: readonly RegExp[] | undefined

function patternsOfOneScript(): RegExp[] {
  return [...writtenTogether, ...livingScripts.map((script) => [script])].map((scripts) => {
    const letters = scripts.map((script) => String.raw`\p{scx=${script}}`).join('')
    return new RegExp(String.raw`^[${letters}\p{sc=Common}\p{sc=Inherited}]*$`, 'u')
  })
}

// Akan, Ewe, Fula, Hausa, Skolt Sami and their neighbours: names have these, though Unicode does not recommend them yet.
const livingLetters = 'ƁɓƉɖƊɗƎǝƐɛƑƒƔɣǤǥƖɩƗɨƘƙƝɲƆɔɄʉƱʊƲʋƳƴ'

// Phonetic, medieval and historic letters have the look of others, and nobody is called by them.
const rareLetter = new RegExp(
  String.raw`(?![${recommendedLetters}${livingLetters}])(?=\p{L})[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}]`,
  'u',
)

/**
 * Why the letters of this name could pass for others, fit to be shown; `null` when they cannot. A glyph may look like
 * two letters of different scripts, so no table of look-alikes is enough where scripts mix within a word.
 */
export function scriptProblem(name: string): string | null {
  if (rareLetter.test(name)) return 'The name contains a letter that names are not written with.'
  const patterns = (ofOneScript ??= patternsOfOneScript())
  const isMixed = name.split(' ').some((word) => !patterns.some((script) => script.test(word)))
  return isMixed ? 'A word of the name mixes letters of different scripts.' : null
}
