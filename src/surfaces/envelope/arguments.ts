import type { Outcome } from '../../protocol/outcome.ts';

/** What `capstan envelope …` was asked to do. */
export type EnvelopeArguments =
  | { readonly command: 'help' }
  | {
      readonly command: 'show';
      readonly thread?: string;
      /** Absent: the newest. */
      readonly turn?: number;
      /** The turn to hold it against. */
      readonly diff?: number;
      readonly json: boolean;
    };

export const envelopeUsage = `Shows the contract of a turn: every value, where it came from, who reads it.
Only reads: the thread may be in use.

Usage:
  capstan envelope [THREAD] [--turn N] [--json]            the envelope of a turn; without N, of the newest
  capstan envelope [THREAD] [--turn N] --diff M [--json]   what differs from the one of turn M

THREAD is an id, the beginning of one, or a name; without it, the newest thread of this folder.

Options:
  --turn N      the turn, counted from 1
  --diff M      another turn of the thread
  --json        print one JSON object, with the source files that read each field
  -h, --help    this text

docs/envelope.md lists every field.
`;

/** Reads the words after `envelope`. */
export function parseEnvelopeArguments(words: readonly string[]): EnvelopeArguments | Outcome<'usage'> {
  const numbers: { turn?: number; diff?: number } = {};
  let json = false;
  const threads: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const name = equals < 0 ? word : word.slice(0, equals);
    if (name === '-h' || name === '--help') return { command: 'help' };
    if (name === '--turn' || name === '--diff') {
      const number = Number(equals < 0 ? words[++i] : word.slice(equals + 1));
      if (!Number.isInteger(number) || number < 1) return usage(`${name} takes the number of a turn, from 1.`);
      numbers[name === '--turn' ? 'turn' : 'diff'] = number;
    } else if (word === '--json') json = true;
    else if (word.startsWith('-')) return usage(`there is no option ${word}.`);
    else threads.push(word);
  }
  if (threads.length > 1) return usage('there is more than one thread.');
  return { command: 'show', ...(threads[0] === undefined ? {} : { thread: threads[0] }), ...numbers, json };
}

function usage(message: string): Outcome<'usage'> {
  return { code: 'usage', message: `envelope: ${message}`, next: 'See `capstan envelope --help`.' };
}
