/**
 * How well a path fits what someone typed; undefined: not at all. Higher is better. Letters in upper case count only if
 * something typed is in upper case. Each rank leaves room for what tells paths of the same rank apart.
 */
export function rankPath(path: string, typed: string): number | undefined {
  if (typed === '') return 0;
  const isExact = typed !== typed.toLowerCase();
  const [text, wanted] = isExact ? [path, typed] : [path.toLowerCase(), typed];
  const name = text.slice(text.lastIndexOf('/') + 1);
  const shorter = 100 / (1 + path.length);
  if (name === wanted || text === wanted) return 10_000 + shorter;
  if (name.lastIndexOf('.') === wanted.length && name.startsWith(wanted)) return 9000 + shorter;
  const inName = name.indexOf(wanted);
  if (inName >= 0) return (inName === 0 ? 8000 : startsWord(name, inName) ? 7000 : 6000) + shorter;
  const inPath = text.indexOf(wanted);
  if (inPath >= 0) return (startsWord(text, inPath) ? 5000 : 4000) + shorter;
  const spreadInName = spread(name, wanted);
  if (spreadInName !== undefined) return 3000 - Math.min(900, spreadInName) + shorter;
  const spreadInPath = spread(text, wanted);
  return spreadInPath === undefined ? undefined : 2000 - Math.min(900, spreadInPath) + shorter;
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || /[^a-z0-9]/i.test(text[at - 1] ?? '');
}

/** How many letters stand between those that were typed, in their order. Linear in the text. */
function spread(text: string, wanted: string): number | undefined {
  let at = -1;
  let first = -1;
  for (const letter of wanted) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return undefined;
    if (first < 0) first = at;
  }
  return at - first + 1 - wanted.length;
}
