/** Kinds of ASCII characters, as far as tokenisers tell them apart. What a word or a number is made of comes first. */
export const kind = { lower: 0, upper: 1, digit: 2, joint: 3, mark: 4, blank: 5, foreign: 6 } as const;

/** Marks that stand inside names, paths and base64. */
const joints = '+/-_=';
const blanks = ' \t\n\r';

const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return kind.lower;
  if (/[A-Z]/.test(character)) return kind.upper;
  if (/[0-9]/.test(character)) return kind.digit;
  if (joints.includes(character)) return kind.joint;
  return blanks.includes(character) ? kind.blank : kind.mark;
});

export function kindOf(code: number): number {
  return code < 128 ? kinds[code]! : kind.foreign;
}

/** Each letter with those that usually follow it in English words and in names. */
const usualPairs =
  'abcdgiklmnprstuvwxy baeijloruy caehiklortu dadeiosu eabcdefgilmnpqrstvwxy faefiortu gehinrsu haeiort ' +
  'iabcdefglmnoprstvz jes keis ladefilostuy mabeimopsu nacdefgiklnopstuvy obcdfgiklmnoprstuvw paeiloprstu qu ' +
  'racdegiklmnorstuy sacehikoprstuy tacehioprstuy uabcegilmnprst vaei waehinor xcpt ynopst zei';

const letterA = 97;
const row = 32;
const oddPairs = new Uint8Array(26 * row).fill(1);
for (const [first, ...followers] of usualPairs.split(' ')) {
  for (const second of followers) oddPairs[pairIndex(first!.charCodeAt(0), second.charCodeAt(0))] = 0;
}

function pairIndex(first: number, second: number): number {
  return (first - letterA) * row + second - letterA;
}

/** 1 for two lower letters that seldom stand together: a word that has them is seldom one token. */
export function oddPair(first: number, second: number): number {
  return oddPairs[pairIndex(first, second)]!;
}
