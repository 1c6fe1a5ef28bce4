import type { ConfigProblem } from '../../config/config-problem.ts';
import { inside } from '../files/project-folders.ts';
import { readBounded } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment, with what it lacks taken from `.env` in the home folder. */
export function loadEnvFile(
  home: string,
  env: Variables,
): { readonly env: Variables; readonly problems: readonly ConfigProblem[] } {
  const path = `${inside(home)}.env`;
  const file = readBounded(path, { maxBytes: readLimits.configBytes });
  if (file.kind === 'missing') return { env, problems: [] };
  if (file.kind === 'read') {
    return { env: { ...missingVariables(file.bytes.toString('utf8'), env), ...env }, problems: [] };
  }
  const message = `${path} cannot be read: ${file.reason}.`;
  const next = 'Make the file readable, or delete it.';
  return { env, problems: [{ code: 'config-unreadable', message, next, severity: 'warning', source: path }] };
}

/** What an `.env` file adds: nothing that is set, and none of our own variables, which say where the file is. */
export function missingVariables(text: string, env: Variables): Readonly<Record<string, string>> {
  const { parseEnv } = process.getBuiltinModule('node:util');
  const added = Object.entries(parseEnv(text)).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && env[entry[0]] === undefined && !/^(?:CODEX|CAPSTAN)_/i.test(entry[0]),
  );
  return Object.fromEntries(added);
}
