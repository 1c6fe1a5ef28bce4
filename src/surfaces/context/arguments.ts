import type { Outcome } from '../../protocol/outcome.ts';

/** What `capstan context …` was asked to do. */
export type ContextArguments =
  | { readonly command: 'help' }
  | { readonly command: 'window' | 'changes'; readonly thread?: string; readonly json: boolean }
  | {
      readonly command: 'request' | 'checkpoint';
      /** Of the request or checkpoint. */
      readonly number: number | 'last';
      readonly thread?: string;
      readonly json: boolean;
    };

export const contextUsage = `Shows what a thread's model sees, and what it costs. Only reads: the thread may be in use.

Usage:
  capstan context [THREAD] [--json]               what fills the window now
  capstan context [THREAD] --changes [--json]     what each turn told the model of the world, and why
  capstan context [THREAD] --request N [--json]   request number N, or last, as the model got it
  capstan context [THREAD] --checkpoint N [--json]
                                                  history before and after checkpoint number N, or last

THREAD is an id, the beginning of one, or a name; without it, the newest thread of this folder.

Options:
  --changes      per turn: nothing, a change or the full bundle, with its sections and tokens
  --request N    instructions, tools and items, each with its origin in the margin; --json prints the body
  --checkpoint N
                 both histories side by side, each item with its origin, its tokens and what became of it
  --json         print one JSON object
  -h, --help     this text

Tokens are exact where the provider counted them, scaled where its count was shared out among the parts,
and estimated where nobody has counted yet.
`;

/** Reads the words after `context`. */
export function parseContextArguments(words: readonly string[]): ContextArguments | Outcome<'usage'> {
  let [json, changes] = [false, false];
  const numbers = new Map<'request' | 'checkpoint', string>();
  const threads: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const [name, attached] = word.startsWith('--') && word.includes('=') ? splitAt(word) : [word, undefined];
    if (name === '-h' || name === '--help') return { command: 'help' };
    if (name === '--request' || name === '--checkpoint') {
      const number = attached ?? words[++i];
      if (number === undefined) return usage(`${name} needs a number, or last.`);
      numbers.set(name === '--request' ? 'request' : 'checkpoint', number);
    } else if (attached !== undefined || (word.startsWith('-') && name !== '--json' && name !== '--changes')) {
      return usage(`there is no option ${word}.`);
    } else if (name === '--json') json = true;
    else if (name === '--changes') changes = true;
    else threads.push(word);
  }
  if (threads.length > 1) return usage('there is more than one thread.');
  const [asked, ...more] = numbers;
  if (more.length > 0 || (changes && asked !== undefined)) {
    return usage('--changes, --request and --checkpoint do not go together.');
  }
  const given = { ...(threads[0] === undefined ? {} : { thread: threads[0] }), json };
  if (asked === undefined) return { command: changes ? 'changes' : 'window', ...given };
  const [command, text] = asked;
  if (text === 'last') return { command, number: text, ...given };
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) return usage(`--${command} takes a number from 1, or last.`);
  return { command, number, ...given };
}

function splitAt(word: string): readonly [string, string] {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
}

function usage(message: string): Outcome<'usage'> {
  return { code: 'usage', message: `context: ${message}`, next: 'See `capstan context --help`.' };
}
