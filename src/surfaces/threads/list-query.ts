import { resolve } from 'node:path';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadQuery } from '../../protocol/thread-summary.ts';
import { type CommandForm, type CommandOption, type ParsedWords, wrongUsage } from '../command-words.ts';

/** Which threads, and how many at a time: the same for lists and searches. */
export const queryOptions: readonly CommandOption[] = [
  { key: 'cwd', names: ['-C', '--cd'], value: 'FOLDER', help: 'only threads that work in this folder' },
  { key: 'archived', names: ['--archived'], help: 'only archived threads, which are left out otherwise' },
  {
    key: 'source',
    names: ['--source'],
    value: 'NAME',
    help: 'only threads that were started there: exec, cli, vscode, subagent, …; `all`: also those of other threads',
  },
  { key: 'sort', names: ['--sort'], value: 'TIME', help: '`updated` or `created`; the newest come first' },
  { key: 'limit', names: ['-n', '--limit'], value: 'NUMBER', help: 'how many at a time (25)' },
  { key: 'cursor', names: ['--cursor'], value: 'CURSOR', help: 'go on where the page before ended' },
  { key: 'json', names: ['--json'], help: 'one JSON object' },
];

export function queryOf(form: CommandForm, asked: ParsedWords, here: string): ThreadQuery | Outcome<'usage'> {
  const last = (key: string): string | undefined => asked.values.get(key)?.at(-1);
  const [cwd, source, text, cursor] = [last('cwd'), last('source'), last('text'), last('cursor')];
  const sort = last('sort') ?? 'updated';
  if (sort !== 'updated' && sort !== 'created') return wrongUsage(form, '--sort takes `updated` or `created`.');
  const limit = Number(last('limit') ?? '25');
  if (!Number.isInteger(limit) || limit < 1 || limit > mostThreads) {
    return wrongUsage(form, `--limit takes a number from 1 to ${mostThreads}.`);
  }
  return {
    ...(cwd === undefined ? {} : { cwd: resolve(here, cwd) }),
    ...(asked.flags.has('archived') ? { archived: true } : {}),
    ...(text === undefined ? {} : { text }),
    ...(source === undefined ? {} : { source }),
    ...(cursor === undefined ? {} : { cursor }),
    limit,
    sort,
  };
}

const mostThreads = 1000;
