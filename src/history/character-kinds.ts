/** Kinds of ASCII characters, as far as tokenisers distinguish them. What a word or a number is made of comes first. */
export const kind = { lower: 0, upper: 1, digit: 2, joint: 3, mark: 4, blank: 5, foreign: 6 } as const;

/** Marks that stand inside names, paths and base64. */
const joints = '+/-_=';
const blanks = ' \t\n\r';

/** By code: a table without a bound to look at is the quickest, also before the code is compiled. */
export const kinds = new Uint8Array(0x10000).fill(kind.foreign).fill(kind.mark, 0, 128);
// Filled and not computed: this runs at every start.
kinds.fill(kind.lower, 97, 123).fill(kind.upper, 65, 91).fill(kind.digit, 48, 58);
for (let i = 0; i < joints.length; i++) kinds[joints.charCodeAt(i)] = kind.joint;
for (let i = 0; i < blanks.length; i++) kinds[blanks.charCodeAt(i)] = kind.blank;

/** Each letter with those that usually follow it in English words and in names. */
const usualPairs =
  'abcdgiklmnprstuvwxy baeijloruy caehiklortu dadeiosu eabcdefgilmnpqrstvwxy faefiortu gehinrsu haeiort ' +
  'iabcdefglmnoprstvz jes keis ladefilostuy mabeimopsu nacdefgiklnopstuvy obcdfgiklmnoprstuvw paeiloprstu qu ' +
  'racdegiklmnorstuy sacehikoprstuy tacehioprstuy uabcegilmnprst vaei waehinor xcpt ynopst zei';

/** 1 for two lower letters that seldom stand together, at 32 times the code of the first plus that of the second. */
export const oddPairs = new Uint8Array(128 * 32);
oddPairs.fill(1, 97 * 32);
for (const letters of usualPairs.split(' ')) {
  const first = letters.charCodeAt(0) * 32;
  for (let i = 1; i < letters.length; i++) oddPairs[first + letters.charCodeAt(i)] = 0;
}
