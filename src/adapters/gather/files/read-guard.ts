import { isWithin } from '../../../core/policy/paths/absolute-paths.ts';
import { accessAt, accessByRules, isDenied, type RestrictedFiles } from '../../../core/policy/paths/access.ts';
import { literalGlob, staticFolderOf } from '../../../core/policy/paths/glob.ts';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import { fileSystem } from '../../disk/file-system.ts';
import { ancestors } from './project-folders.ts';
import { basename, dirname, join } from 'node:path';

/** Whether the engine must not read a path on behalf of the model or of the user. */
export interface ReadGuard {
  /** What the model may not read: all that the policy does not grant. */
  deniesModel(path: string): boolean;
  /** What not even the user may hand to the model: all that a rule denies by name. */
  deniesUser(path: string): boolean;
}

/**
 * The policy as a guard of reads in this process. It must be asked about a path as it is spelled and about where the
 * opened file is. A rule counts under both names of its own path as well: its spelling and where its links lead.
 */
export function readGuard(policy: ResolvedPolicy): ReadGuard {
  const { files } = policy;
  if (files.kind === 'unrestricted') return { deniesModel: () => false, deniesUser: () => false };
  let places: ResolvedPolicy | undefined;
  const atPlaces = (): ResolvedPolicy => (places ??= { ...policy, files: withPlaces(files) });
  return {
    deniesModel: (path) => isWithin(path, processes) || accessAt(atPlaces(), path) === 'deny',
    deniesUser: (path) => isDenied(atPlaces(), path),
  };
}

/** Commands have one of their own, which says nothing of this process and of others outside the sandbox. */
const processes = '/proc';

function withPlaces(files: RestrictedFiles): RestrictedFiles {
  const added = files.rules.flatMap((rule) => {
    const path = placeOf(rule.path);
    return path === rule.path || (rule.access !== 'deny' && isMovable(files, rule.path)) ? [] : [{ ...rule, path }];
  });
  const globs = files.denyGlobs.flatMap((glob) => {
    const folder = staticFolderOf(glob);
    const place = placeOf(folder);
    return place === folder ? [] : [(place === '/' ? '' : literalGlob(place)) + glob.slice(folder.length)];
  });
  return { ...files, rules: [...files.rules, ...added], denyGlobs: [...files.denyGlobs, ...globs] };
}

/** Commands can put another link where one stands in a writable folder, so nothing is granted through it. */
function isMovable({ rules }: RestrictedFiles, path: string): boolean {
  return [...ancestors(dirname(path))].some((folder) => accessByRules(rules, folder) === 'write');
}

/** Where a path leads; what does not exist yet is appended as it is spelled. */
function placeOf(path: string): string {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(fileSystem.realpathSync.native(at), ...missing);
    } catch {
      if (at === dirname(at)) return path;
      missing.unshift(basename(at));
    }
  }
}

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** How large the files may be that the engine reads for itself. Larger ones are refused; docs/sandbox.md lists them. */
export const readLimits = {
  /** A layer of the configuration, requirements, `.env`. */
  configBytes: mebibyte,
  loginBytes: mebibyte,
  /** A file that replaces the instructions of a model or the prompt of a compaction. */
  instructionsBytes: mebibyte,
  catalogueBytes: 16 * mebibyte,
  /** HEAD, a ref, a `.git` file that points elsewhere. */
  gitPointerBytes: 4 * kibibyte,
  gitConfigBytes: 256 * kibibyte,
  gitIndexBytes: 32 * mebibyte,
  packedRefsBytes: 16 * mebibyte,
  timezoneBytes: mebibyte,
  /** A theme of the terminal. */
  themeBytes: 64 * kibibyte,
} as const;
