import type { Outcome } from '../../protocol/outcome.ts';
import type { RollbackTo, RolledBack } from '../../thread/rollback-range.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import type { Done } from '../thread-operations.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';

const form: CommandForm = {
  name: 'threads rollback',
  summary: 'Takes the newest turns of a thread back. Files in the workspace stay as they are.',
  forms: ['THREAD [--turns N | --to TURN]', '--last [--all] …'],
  options: [
    { key: 'turns', names: ['-n', '--turns'], value: 'N', help: 'so many turns in which you spoke; 1 without it' },
    { key: 'to', names: ['--to'], value: 'TURN', help: 'everything after this turn' },
    ...threadOptions,
  ],
  notes:
    'TURN is the number of a turn, its id, or the beginning of that. Nothing is lost: `capstan threads undo-rollback`\nbrings the turns back.',
};

const command: OnThread<Done<RolledBack>> = {
  form,
  archived: false,
  more: 0,
  async run(engine, id, words) {
    const to = rangeOf(words);
    return 'code' in to ? to : engine.rollback(id, to);
  },
  text({ id, turns }) {
    const taken = turns.length === 1 ? 'One turn' : `${turns.length} turns`;
    return `${taken} of thread ${id} taken back.\nTo bring them back: capstan threads undo-rollback ${id}`;
  },
};

function rangeOf({ values }: ParsedWords): RollbackTo | Outcome<'usage'> {
  const [turns, to] = [values.get('turns')?.at(-1), values.get('to')?.at(-1)];
  if (turns !== undefined && to !== undefined) return wrongUsage(form, '--turns and --to are two ways: choose one.');
  if (to !== undefined) return { toTurn: to };
  if (turns !== undefined && !/^[1-9]\d{0,6}$/.test(turns)) {
    return wrongUsage(form, `${JSON.stringify(turns)} is not a number of turns.`);
  }
  return { turns: Number(turns ?? 1) };
}

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
