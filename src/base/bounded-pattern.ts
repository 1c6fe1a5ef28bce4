import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';

/** A regular expression from an untrusted source: its time is bounded by `steps` times the length of the text. */
export interface BoundedPattern {
  /** Upper bound of the steps taken for one character of a text. */
  readonly steps: number;
  /** Not anchored: matching a part of the text is enough. */
  matches(text: string): boolean;
}

/** `problem` completes a sentence about the pattern. */
export type PatternProblem = { readonly problem: string };
export type PatternOptions = { readonly ignoresCase?: boolean; readonly dotMatchesAll?: boolean };
const mostSteps = 1000;
const mostCharacters = 10_000;
/** The library merges hundreds of ranges for each such class. */
const unicodeClassSteps = 5;

/** RE2 syntax plus JavaScript's character escapes, in linear time. Importing this file is slow: import it on use. */
export function compileBoundedPattern(text: string, options: PatternOptions = {}): BoundedPattern | PatternProblem {
  const { ignoresCase = false, dotMatchesAll = false } = options;
  if (text.length > mostCharacters) return { problem: `is longer than ${mostCharacters} characters` };
  const steps = stepsOf(text);
  if (steps > mostSteps) return { problem: `is too large: it has more than ${mostSteps} steps` };
  const flags = (ignoresCase ? RE2JS.CASE_INSENSITIVE : 0) | (dotMatchesAll ? RE2JS.DOTALL : 0);
  try {
    const pattern = RE2JS.compile(withKnownEscapes(text), flags);
    return { steps, matches: (given) => pattern.test(given) };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return { problem: sentence(error) };
    if (error instanceof RE2JSException) return { problem: `cannot be read: ${error.message}` };
    throw error;
  }
}

const tokens = new RegExp(
  [
    String.raw`\\Q[\s\S]*?(?:\\E|$)|\\[pPxu]\{[^}]*\}|\\[pP][\s\S]|\\[\s\S]`,
    String.raw`\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]`,
    String.raw`\{(?<least>\d+)(?<open>,(?<most>\d*))?\}`,
    String.raw`\(\?:|[\s\S]`,
  ].join('|'),
  'g',
);

/** Upper bound of the steps, counting written-out repeats: the library would write out up to a million of them. */
function stepsOf(text: string): number {
  const outside: { readonly steps: number; readonly ends: number }[] = [];
  let steps = 0;
  /** Steps of the part before the current token, to which a repeat would apply. */
  let last = 0;
  for (const { 0: token, groups } of text.matchAll(tokens)) {
    const { least, open, most } = groups ?? {};
    if (least !== undefined) {
      const times = Math.max(1, Number(most || least) + (open === ',' ? 1 : 0));
      const repeated = (last + (open === undefined ? 0 : 1)) * times;
      steps += repeated - last;
      last = repeated;
    } else if (token === '(' || token === '(?:') {
      outside.push({ steps, ends: token === '(' ? 2 : 0 });
      steps = 0;
    } else if (token === ')') {
      const group = outside.pop() ?? { steps: 0, ends: 0 };
      last = steps + group.ends;
      steps = group.steps + last;
    } else {
      const classes = token.match(/\\[pP]/g)?.length ?? 0;
      last = 1 + classes * unicodeClassSteps + (token.startsWith('\\Q') ? token.length : 0);
      steps += last;
    }
  }
  return outside.reduce((sum, each) => sum + each.steps, steps);
}

export const requiresNewline = (text: string): boolean =>
  [...text.matchAll(tokens)].some(([token]) => ['\n', '\\n', '\\\n'].includes(token));

function withKnownEscapes(text: string): string {
  const escapes = /\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|\\u(?:([\da-f]{4})|\{([\da-f]{1,6})\})|\\[\s\S]/gi;
  return text.replace(escapes, (escape: string, high?: string, low?: string, four?: string, braced?: string) => {
    if (high !== undefined && low !== undefined) {
      const character = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
      return `\\x{${character.codePointAt(0)!.toString(16)}}`;
    }
    const code = four ?? braced;
    return code === undefined ? escape : `\\x{${code}}`;
  });
}

function sentence(error: RE2JSSyntaxException): string {
  const words = sentences[error.getDescription()];
  const at = error.getPattern() ?? '';
  if (words === undefined) return `cannot be read: ${error.getDescription()}`;
  return words.replace('…', () => (at.length > 40 ? `${at.slice(0, 40)}…` : at));
}

const sentences: Readonly<Record<string, string>> = {
  'missing closing )': 'has a ( without its )',
  'unexpected )': 'has a ) without its (',
  'missing closing ]': 'has a [ without its ]',
  'missing argument to repetition operator': 'has nothing to repeat before …',
  'invalid nested repetition operator': 'repeats a repeat: …',
  'invalid repeat count': 'has a repeat with its bounds in the wrong order: …',
  'trailing backslash at end of expression': 'ends with a \\',
  'invalid escape sequence': 'has a reference back, or an escape that is not known: …',
  'invalid or unsupported Perl syntax': 'has a look-around or another group that is not supported: …',
  'invalid named capture': 'has a look-around or a group without a proper name: …',
  'invalid character class range': 'has a range in the wrong order, or a class that is not known: …',
};
