import { resolve } from 'node:path';
import { defined } from '../../protocol/defined.ts';
import type { ThreadQuery } from '../../protocol/thread-summary.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { listCommand, searchCommand } from '../commands/threads-read-commands.ts';

type QueryOptions = CommandArguments<typeof searchCommand>['options'] &
  Partial<CommandArguments<typeof listCommand>['options']>;

/** Which threads, and how many at a time: the same for lists and searches. */
export function queryOf(options: QueryOptions, here: string): ThreadQuery {
  const { cwd, archived, text, source, cursor, limit = 25, sort = 'updated' } = options;
  return {
    ...(cwd === undefined ? {} : { cwd: resolve(here, cwd) }),
    ...(archived ? { archived } : {}),
    ...defined({ text, source, cursor }),
    limit,
    sort,
  };
}
