import type { Outcome } from '../../protocol/outcome.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';

/** Which turn of which thread, and what of it. */
export interface EnvelopeQuestion {
  readonly thread?: string;
  /** Absent: the newest. */
  readonly turn?: number;
  /** The turn to hold it against. */
  readonly diff?: number;
  readonly json: boolean;
}

export const envelopeForm: CommandForm = {
  name: 'envelope',
  summary: 'Shows the contract of a turn: every value, where it came from, who reads it.',
  forms: ['[THREAD] [--turn N] [--json]', '[THREAD] [--turn N] --diff M [--json]'],
  options: [
    { key: 'turn', names: ['--turn'], value: 'N', help: 'the turn, counted from 1; without it, the newest' },
    { key: 'diff', names: ['--diff'], value: 'M', help: 'only what differs from the envelope of turn M' },
    { key: 'json', names: ['--json'], help: 'print one JSON object, with the source files that read each field' },
  ],
  notes: [
    'THREAD is an id, the beginning of one, or a name; without it, the newest thread of this folder.',
    'Only reads: the thread may be in use. docs/envelope.md lists every field.',
  ].join('\n'),
};

export function envelopeQuestion({ flags, values, positional }: ParsedWords): EnvelopeQuestion | Outcome<'usage'> {
  const numbers: { turn?: number; diff?: number } = {};
  for (const key of ['turn', 'diff'] as const) {
    const given = values.get(key)?.at(-1);
    if (given === undefined) continue;
    const number = Number(given);
    if (!Number.isInteger(number) || number < 1) {
      return wrongUsage(envelopeForm, `--${key} takes the number of a turn, from 1.`);
    }
    numbers[key] = number;
  }
  const [thread, ...more] = positional;
  if (more.length > 0) return wrongUsage(envelopeForm, 'there is more than one thread.');
  return { ...(thread === undefined ? {} : { thread }), ...numbers, json: flags.has('json') };
}
