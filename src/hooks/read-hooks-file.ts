import type { ConfigProblem } from '../config/config-problem.ts';
import { readBounded } from '../disk/read-bounded.ts';
import { defined } from '../protocol/defined.ts';
import { objectAt, parseJsonObject } from '../protocol/json.ts';
import type { HookSource } from './hook-definition.ts';
import { jsonFault, jsonKeyLine } from './json-key-line.ts';
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
    return { hooks: [], problems: [problem], patterns: [] };
  };
  const file = readBounded(path, { maxBytes: mostBytes, ...(denies === undefined ? {} : { denies }) });
  if (file.kind === 'missing') return { hooks: [], problems: [], patterns: [] };
  if (file.kind === 'unread') return fault(`cannot be read: ${file.reason}.`, `Make it a readable file, or delete it.`);
  const text = file.bytes.toString('utf8').replace(/^\uFEFF/, '');
  const root = parseJsonObject(text);
  if (root === undefined) {
    const where = jsonFault(text);
    const what = where === undefined ? 'is no JSON object.' : `is no valid JSON: ${where}.`;
    return fault(`${what} Its hooks do not run.`, 'Correct it, or delete it.');
  }
  const table = objectAt(root, 'hooks');
  if (table === undefined) {
    return fault('has no table `hooks`. Its hooks do not run.', 'Put the events into {"hooks": {…}}.');
  }
  const lineOf = (path: readonly (string | number)[]): number | undefined => jsonKeyLine(text, ['hooks', ...path]);
  const odd = Object.keys(root).filter((key) => key !== 'hooks' && key !== 'description');
  const read = readHooks(table, source, lineOf);
  const beside = odd.map((key) => besideHooks(source, key, jsonKeyLine(text, [key])));
  return { ...read, problems: [...beside, ...read.problems] };
}

function besideHooks({ path }: HookSource, key: string, line: number | undefined): ConfigProblem {
  const message = `${path}${line === undefined ? '' : `:${line}`}: ${JSON.stringify(key)} is not a known key. Capstan ignores it.`;
  const next = 'Put events into {"hooks": {…}}, or remove the key.';
  return { code: 'hooks-broken', message, next, severity: 'warning', source: path, ...defined({ line }) };
}
