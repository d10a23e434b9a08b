import { recommendedLetters } from './recommended-letters.ts'

/** Scripts in use today: those that Unicode (UAX 31) recommends, most of those of limited use, and Mongolian. */
const currentScripts = (
  'Latin Greek Cyrillic Arabic Armenian Bengali Bopomofo Devanagari Ethiopic Georgian Gujarati Gurmukhi Hangul Han Hebrew ' +
  'Hiragana Kannada Katakana Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan Adlam Balinese ' +
  'Bamum Batak Canadian_Aboriginal Chakma Cham Cherokee Hanifi_Rohingya Javanese Kayah_Li Lepcha Limbu Lisu Mandaic ' +
  'Meetei_Mayek Miao Mongolian New_Tai_Lue Newa Nko Nyiakeng_Puachue_Hmong Ol_Chiki Osage Saurashtra Sundanese ' +
  'Syloti_Nagri Syriac Tai_Le Tai_Tham Tai_Viet Tifinagh Vai Wancho Yi'
).split(' ')

/** Current scripts that are written from right to left. */
const rightToLeft = 'Arabic Hebrew Syriac Thaana Adlam Hanifi_Rohingya Mandaic Nko'
  .split(' ')
  .map((script) => String.raw`\p{sc=${script}}`)
  .join('')
const rightToLeftLetter = new RegExp(String.raw`(?=\p{L})[${rightToLeft}]`, 'u')
const leftToRightLetter = new RegExp(String.raw`(?=\p{L})[^${rightToLeft}]`, 'u')

const lettersOf = (script: string) => String.raw`\p{scx=${script}}`

/**
 * Letters that are commonly mixed in one word (UTS 39, highly restrictive). Of Korean, only whole syllables may be mixed
 * with Latin. Single letters of Hangul and Bopomofo, such as 'ᅵ' and 'ㄨ', look like Latin letters.
 */
const mixableLetters = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'].map(lettersOf).join(''),
  `${lettersOf('Latin')}${lettersOf('Han')}가-힣`,
  ['Han', 'Hangul'].map(lettersOf).join(''),
  ['Han', 'Bopomofo'].map(lettersOf).join(''),
]

/** Patterns of allowed words. They are created when the first name is checked, to keep the start of the server fast. */
let wordPatterns: readonly RegExp[] | undefined

function createWordPatterns(): RegExp[] {
  return [...mixableLetters, ...currentScripts.map(lettersOf)].map(
    (letters) => new RegExp(String.raw`^[${letters}\p{sc=Common}\p{sc=Inherited}]*$`, 'u'),
  )
}

// Letters of Akan, Ewe, Fula, Hausa, Skolt Sami and related languages. Names use them, but Unicode does not recommend them.
const additionalLetters = 'ƁɓƉɖƊɗƎǝƐɛƑƒƔɣǤǥƖɩƗɨƘƙƝɲƆɔɄʉƱʊƲʋƳƴ'

// Phonetic, medieval and historic letters look like other letters, and names do not use them.
const rareLetter = new RegExp(
  String.raw`(?![${recommendedLetters}${additionalLetters}])(?=\p{L})[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}]`,
  'u',
)

// Spacing modifier letters look like punctuation, such as '_'. Names use only two of them, which look like apostrophes.
const modifierLetter = /[\u02b0-\u02ba\u02bd-\u02ff\u2e2f\ua700-\ua71f\ua788]/u

// Accents and tone marks of languages in use. Other marks, and a ring on 'i' or 'j', can look like the dot of the letter.
const accents = String.raw`\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0329\u032d\u032e\u0330\u0331`
const greekAccents = String.raw`\u0313\u0314\u0342\u0345`
const rareMark = new RegExp(
  String.raw`(?=\p{L})(?:[\p{sc=Latin}\p{sc=Cyrillic}]\p{M}*(?![${accents}])\p{M}|` +
    String.raw`\p{sc=Greek}\p{M}*(?![${accents}${greekAccents}])\p{M}|[ij]\p{M}*\u030a)`,
  'iu',
)

/**
 * Returns the reason why the letters of a name could be mistaken for others, as a text for the user, or `null`. A glyph
 * can look like letters of two scripts, so a table of look-alikes is not enough if a word mixes scripts.
 */
export function findScriptProblem(name: string): string | null {
  if (rareLetter.test(name) || modifierLetter.test(name)) return 'The name contains a letter that is not allowed.'
  if (rareMark.test(name.normalize('NFD'))) return 'The name contains a mark that is not allowed.'
  // Browsers order the words of such a name by direction, so two names with the same words would look alike.
  if (rightToLeftLetter.test(name) && leftToRightLetter.test(name))
    return 'The name mixes letters of two writing directions.'
  const patterns = (wordPatterns ??= createWordPatterns())
  const isMixed = name.split(' ').some((word) => !patterns.some((script) => script.test(word)))
  return isMixed ? 'A word of the name mixes letters of different scripts.' : null
}
