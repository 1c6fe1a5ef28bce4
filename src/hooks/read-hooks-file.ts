import type { ConfigProblem } from '../config/config-problem.ts';
import { readBounded } from '../disk/read-bounded.ts';
import { objectAt, parseJsonObject } from '../protocol/json.ts';
import type { HookSource } from './hook-definition.ts';
import { type ReadHooks, readHooks } from './read-hooks.ts';

const mostBytes = 1_000_000;

/** The hooks of a `hooks.json`. One that is not there has none; one that cannot be read is a problem, of a managed one an error. */
export function readHooksFile(source: HookSource, denies?: (path: string) => boolean): ReadHooks {
  const { path, owner } = source;
  const fault = (what: string, next: string): ReadHooks => {
    const severity = owner === 'managed' ? ('error' as const) : ('warning' as const);
    const problem: ConfigProblem = {
      code: 'hooks-unreadable',
      message: `${path} ${what}`,
      next,
      severity,
      source: path,
    };
    return { hooks: [], problems: [problem] };
  };
  const file = readBounded(path, { maxBytes: mostBytes, ...(denies === undefined ? {} : { denies }) });
  if (file.kind === 'missing') return { hooks: [], problems: [] };
  if (file.kind === 'unread') return fault(`cannot be read: ${file.reason}.`, `Make it a readable file, or delete it.`);
  const root = parseJsonObject(file.bytes.toString('utf8').replace(/^\uFEFF/, ''));
  if (root === undefined) return fault('is no JSON object. Its hooks do not run.', 'Correct it, or delete it.');
  const table = objectAt(root, 'hooks');
  if (table === undefined) {
    return fault('has no table `hooks`. Its hooks do not run.', 'Put the events into {"hooks": {…}}.');
  }
  return readHooks(table, source);
}
