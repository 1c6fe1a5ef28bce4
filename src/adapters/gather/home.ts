import type { ConfigProblem } from '../../core/config/layer-order.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import { fileSystem, kindOfEntry, makeFolders, diskErrorReason } from '../disk/file-system.ts';
import { readBounded } from '../disk/regular-files.ts';
import { withTrailingSeparator } from './files/project-folders.ts';
import { readLimits } from './files/read-guard.ts';
import { join } from 'node:path';

/** The user folder: configuration, personal instructions, threads. */
export interface Home {
  readonly path: string;
  /** The variable that named the folder, if any. The default folder may not exist yet: its first writer creates it. */
  readonly origin: 'CAPSTAN_HOME' | 'CODEX_HOME' | 'default';
}

export type HomeProblem = Outcome<'home-missing' | 'home-not-a-folder' | 'home-unusable'>;

/**
 * `CAPSTAN_HOME`, created if missing; else `CODEX_HOME`, which belongs to another program and must exist; else
 * `.capstan` in the user's home folder. A blank variable counts as unset.
 */
export function findHome(env: EnvironmentVariables, osHome: string): Home | HomeProblem {
  const { CAPSTAN_HOME: own = '', CODEX_HOME: shared = '' } = env;
  if (own.trim() !== '') return ownHome(own);
  if (shared.trim() !== '') return existingHome(shared, 'CODEX_HOME');
  return { path: join(osHome, '.capstan'), origin: 'default' };
}

function ownHome(path: string): Home | HomeProblem {
  if (kindOfEntry(path) === 'missing') {
    try {
      makeFolders(path, 0o700);
    } catch (error) {
      return unusable(path, 'CAPSTAN_HOME', `cannot be created: ${diskErrorReason(error)}`);
    }
  }
  return existingHome(path, 'CAPSTAN_HOME');
}

function existingHome(path: string, origin: 'CAPSTAN_HOME' | 'CODEX_HOME'): Home | HomeProblem {
  const kind = kindOfEntry(path);
  if (kind === 'missing') {
    const message = `${origin} points to a folder that does not exist: ${path}`;
    return { code: 'home-missing', message, next: `Create the folder, or unset ${origin}.` };
  }
  if (kind !== 'folder') {
    const message = `${origin} is not a folder: ${path}`;
    return { code: 'home-not-a-folder', message, next: `Set ${origin} to a folder, or unset it.` };
  }
  try {
    return { path: fileSystem.realpathSync(path), origin };
  } catch (error) {
    return unusable(path, origin, `cannot be used: ${diskErrorReason(error)}`);
  }
}

function unusable(path: string, origin: 'CAPSTAN_HOME' | 'CODEX_HOME', what: string): HomeProblem {
  const next = `Set ${origin} to a folder that you can write to, or unset it.`;
  return { code: 'home-unusable', message: `The folder in ${origin} ${what} (${path})`, next };
}

/** The environment, completed from `.env` in the home folder. */
export function loadEnvFile(
  home: string,
  env: EnvironmentVariables,
): { readonly env: EnvironmentVariables; readonly problems: readonly ConfigProblem[] } {
  const path = `${withTrailingSeparator(home)}.env`;
  const file = readBounded(path, { maxBytes: readLimits.configBytes });
  if (file.kind === 'missing') return { env, problems: [] };
  if (file.kind === 'read')
    return { env: { ...parseUnsetVariables(file.bytes.toString('utf8'), env), ...env }, problems: [] };
  const message = `${path} cannot be read: ${file.reason}.`;
  const next = 'Make the file readable, or delete it.';
  return { env, problems: [{ code: 'config-unreadable', message, next, severity: 'warning', source: path }] };
}

/** Adds only unset variables, and none of our own, which decide where the file is. */
export function parseUnsetVariables(text: string, env: EnvironmentVariables): Readonly<Record<string, string>> {
  const { parseEnv } = process.getBuiltinModule('node:util');
  const added = Object.entries(parseEnv(text)).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && env[entry[0]] === undefined && !/^(?:CODEX|CAPSTAN)_/i.test(entry[0]),
  );
  return Object.fromEntries(added);
}
