import { isWithin } from '../../../core/policy/paths/absolute-paths.ts';
import { accessAt, accessByRules, isDenied, type RestrictedFiles } from '../../../core/policy/paths/access.ts';
import { escapeGlob, globBaseFolder } from '../../../core/policy/paths/glob.ts';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import { fileSystem } from '../../disk/file-system.ts';
import { folderAndParents } from './project-folders.ts';
import { basename, dirname, join } from 'node:path';

export type ReadGuard = ReturnType<typeof readGuard>;

/**
 * The policy as a guard for reads in this process. Ask about a path as spelled and about where the opened file is. A
 * rule applies to its own path both as spelled and with links resolved.
 */
export function readGuard(policy: ResolvedPolicy) {
  const { files } = policy;
  if (files.kind === 'unrestricted') return { deniesModel: () => false, deniesUser: () => false };
  let places: ResolvedPolicy | undefined;
  const atPlaces = (): ResolvedPolicy => (places ??= { ...policy, files: withPlaces(files) });
  return {
    /** Denies everything that the policy does not grant. */
    deniesModel: (path: string): boolean => isWithin(path, processes) || accessAt(atPlaces(), path) === 'deny',
    /** Denies what a rule names: not even the user may hand it to the model. */
    deniesUser: (path: string): boolean => isDenied(atPlaces(), path),
  };
}

/** Commands have a `/proc` of their own, which shows nothing of this process or others outside the sandbox. */
const processes = '/proc';

function withPlaces(files: RestrictedFiles): RestrictedFiles {
  const added = files.rules.flatMap((rule) => {
    const path = placeOf(rule.path);
    return path === rule.path || (rule.access !== 'deny' && isMovable(files, rule.path)) ? [] : [{ ...rule, path }];
  });
  const globs = files.denyGlobs.flatMap((glob) => {
    const folder = globBaseFolder(glob);
    const place = placeOf(folder);
    return place === folder ? [] : [(place === '/' ? '' : escapeGlob(place)) + glob.slice(folder.length)];
  });
  return { ...files, rules: [...files.rules, ...added], denyGlobs: [...files.denyGlobs, ...globs] };
}

/** True if commands can write a folder of the path: they could put another link there, so its target gets no access. */
function isMovable({ rules }: RestrictedFiles, path: string): boolean {
  return [...folderAndParents(dirname(path))].some((folder) => accessByRules(rules, folder) === 'write');
}

/** Resolves links; parts that do not exist yet are appended as spelled. */
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

/** Size limits of files that the engine reads for itself. Larger ones are refused; docs/sandbox.md lists them. */
export const readLimits = {
  configBytes: mebibyte,
  loginBytes: mebibyte,
  instructionsBytes: mebibyte,
  catalogueBytes: 16 * mebibyte,
  /** HEAD, a ref, a `.git` file that points elsewhere. */
  gitPointerBytes: 4 * kibibyte,
  gitConfigBytes: 256 * kibibyte,
  gitIndexBytes: 32 * mebibyte,
  packedRefsBytes: 16 * mebibyte,
  timezoneBytes: mebibyte,
  themeBytes: 64 * kibibyte,
} as const;
