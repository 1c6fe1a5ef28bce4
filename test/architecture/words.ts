import { tokenize } from './tokens.ts';

interface Banned {
  readonly words: RegExp;
  /** The words to write instead: they show why these are banned. */
  readonly instead: string;
}

const everywhere: readonly Banned[] = [
  { words: /\b(?:some|no)body\b|\bwhoever\b/i, instead: 'name the actor: Capstan, the provider, you' },
  { words: /\b(?:go|goes|going|gone|went) on with\b/i, instead: '"resume" or "continue"' },
  { words: /\bthe talk\b/i, instead: '"the conversation"' },
  { words: /\bin vain\b/i, instead: 'say what failed, and why' },
];

const inMessages: readonly Banned[] = [
  ...everywhere,
  { words: /\bmend(?:s|ed|ing)?\b/i, instead: '"fix" or "repair"' },
  { words: /\blet \S+ name\b|\blet the \w+ name\b/i, instead: '"set X to …"' },
  { words: /\bfrom a copy\b/i, instead: '"from a backup"' },
];

/** Text for the model is worded for models, and measured: it may speak in ways of its own, within the common rules. */
const forModels = ['src/core/fragments/', 'src/core/world/', 'src/core/compaction/requests/prompts.ts'];

/** Sentences in string literals of a source file that people would have to read twice: a file and a line each. */
export function oddMessages(path: string, source: string): readonly string[] {
  if (path.endsWith('.test.ts')) return [];
  const banned = forModels.some((room) => path.startsWith(room)) ? everywhere : inMessages;
  return tokenize(source)
    .filter(({ kind, text }) => (kind === 'string' || kind === 'literal') && /\S\s+\S/.test(text))
    .flatMap(({ text, line }) => found(text, banned).map((problem) => `${path}:${line} ${problem}`));
}

/** Such sentences on a page. */
export function oddSentences(path: string, page: string): readonly string[] {
  return page
    .split('\n')
    .flatMap((text, index) => found(text, everywhere).map((problem) => `${path}:${index + 1} ${problem}`));
}

function found(text: string, banned: readonly Banned[]): readonly string[] {
  return banned.flatMap(({ words, instead }) => {
    const [match] = words.exec(text) ?? [];
    return match === undefined ? [] : [`says "${match}": ${instead}`];
  });
}
