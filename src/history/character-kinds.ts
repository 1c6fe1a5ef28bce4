/** Kinds of ASCII characters, as far as tokenisers distinguish them. What a word or a number is made of comes first. */
export const kind = { lower: 0, upper: 1, digit: 2, joint: 3, mark: 4, blank: 5, foreign: 6 } as const;

/** Marks that stand inside names, paths and base64. */
const joints = '+/-_=';
const blanks = ' \t\n\r';

/** By code: a table without a bound to look at is the quickest, also before the code is compiled. */
export const kinds = new Uint8Array(0x10000).fill(kind.foreign);
for (let code = 0; code < 128; code++) kinds[code] = asciiKind(String.fromCharCode(code));

function asciiKind(character: string): number {
  if (/[a-z]/.test(character)) return kind.lower;
  if (/[A-Z]/.test(character)) return kind.upper;
  if (/[0-9]/.test(character)) return kind.digit;
  if (joints.includes(character)) return kind.joint;
  return blanks.includes(character) ? kind.blank : kind.mark;
}

/** Each letter with those that usually follow it in English words and in names. */
const usualPairs =
  'abcdgiklmnprstuvwxy baeijloruy caehiklortu dadeiosu eabcdefgilmnpqrstvwxy faefiortu gehinrsu haeiort ' +
  'iabcdefglmnoprstvz jes keis ladefilostuy mabeimopsu nacdefgiklnopstuvy obcdfgiklmnoprstuvw paeiloprstu qu ' +
  'racdegiklmnorstuy sacehikoprstuy tacehioprstuy uabcegilmnprst vaei waehinor xcpt ynopst zei';

/** 1 for two lower letters that seldom stand together, at 32 times the code of the first plus that of the second. */
export const oddPairs = new Uint8Array(128 * 32);
oddPairs.fill(1, 97 * 32);
for (const [first, ...followers] of usualPairs.split(' ')) {
  for (const second of followers) oddPairs[first!.charCodeAt(0) * 32 + second.charCodeAt(0)] = 0;
}
