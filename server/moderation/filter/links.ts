/** Top-level domains that are common in links without 'http' or 'www'. Other domains count only if a path follows. */
const commonTopLevelDomains =
  'com|net|org|info|biz|io|co|me|tv|gg|ru|cn|de|uk|fr|nl|it|es|pl|br|in|xyz|top|site|online|shop|club|live|app|dev|link|click|ly|to|be|us|eu'
const hiddenCharacters = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
/**
 * Matches the address of a web page. Every text that the page shows as a link matches, even directly after a letter. Each
 * alternative is bounded, so that the search is linear.
 */
const link = new RegExp(
  String.raw`[a-z][a-z0-9+.-]{1,15}:\/\/\S|(?:^|[^\p{L}\p{N}])www\.[\p{L}\p{N}]|` +
    String.raw`[\p{L}\p{N}-]\.(?:(?:${commonTopLevelDomains})(?![\p{L}\p{N}_-])|\p{L}{2,24}\/)`,
  'iu',
)

/** Returns whether a text contains the address of a web page. Browsers take an ideographic full stop for a dot. */
export function containsLink(text: string): boolean {
  return link.test(text.normalize('NFKC').replaceAll('\u3002', '.').replace(hiddenCharacters, ''))
}
