import { randomBytes } from 'node:crypto';
import { fileSystem } from '../../disk/file-system.ts';
import { diskPath } from '../../disk/path-bytes.ts';
import { isWithin } from '../../policy/paths.ts';
import type { OpenedRepository } from '../../protocol/resolved-policy.ts';
import { type DiskView, isMissingOrEmpty } from '../common/host-disk.ts';
import { mountOptions } from './bubblewrap.ts';

export interface SecondName {
  /** Options of bubblewrap, for a descriptor: a command line can be read by others. */
  readonly options: readonly string[];
  /** Folders that are missing on the host, and that bubblewrap makes there to mount on. */
  readonly mountPoints: readonly string[];
  /** What git needs beside its other variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Takes back what no git makes, once the command has ended. */
  tidy(): void;
}

/** What names programs or leads elsewhere, in every git folder. */
const closedNames = ['config.worktree', 'hooks', 'info', 'commondir', 'gitdir', 'remotes', 'branches', 'modules'];
/** Of these, folders that run programs: kept also where they are missing. */
const keptMissing = ['hooks', 'modules'];

/**
 * What no subcommand makes that a rule allows. If a hook ran a file of the project, that could have: git takes programs
 * from there, and a mount over what is missing would be in git's own way.
 */
const madeByNone = ['commondir', 'config.worktree'];

/**
 * The git folder of a repository at a path that is new for each command and that only the command knows. At its own path
 * it stays read-only. So a file that git writes through a link, which another command put into the checkout meanwhile,
 * never gets there: a missing `commondir`, for one, could not be kept by a mount, because git would read the mount.
 */
export function openRepository(
  { folder, common, top, settings }: OpenedRepository,
  disk: DiskView,
  env: Readonly<Record<string, string>>,
): SecondName {
  const at = `/dev/git-${randomBytes(24).toString('hex')}`;
  const named = (path: string): string => (isWithin(path, common) ? `${at}${path.slice(common.length)}` : path);
  const isThere = (path: string): boolean => ['file', 'folder'].includes(disk.look(path).kind);
  const isLinked = folder !== common;
  // Other worktrees have names like these, too.
  const closed = [...(settings === true ? [] : ['config']), ...closedNames, 'worktrees'].map(
    (name) => `${common}/${name}`,
  );
  const own = isLinked ? closedNames.map((name) => `${folder}/${name}`) : [];
  // An empty one may be a mount point of a command that ends before this one starts.
  const mountPoints = keptMissing.map((name) => `${common}/${name}`).filter((path) => isMissingOrEmpty(disk, path));
  const readOnly = (paths: readonly string[]) =>
    paths.filter(isThere).flatMap((path) => ['--ro-bind', path, named(path)]);
  const unmade = madeByNone
    .flatMap((name) => [`${common}/${name}`, `${folder}/${name}`])
    .filter((path) => disk.look(path).kind === 'missing');
  return {
    options: [
      '--bind',
      common,
      at,
      ...readOnly(closed.filter((path) => !mountPoints.includes(path))),
      ...(isLinked ? ['--bind', folder, named(folder)] : []),
      ...readOnly(own),
      ...mountPoints.flatMap((path) => [
        ...mountOptions(named(path), { kind: 'empty-folder', mode: '555' }),
        '--remount-ro',
        named(path),
      ]),
    ],
    mountPoints,
    variables: {
      GIT_DIR: named(folder),
      GIT_WORK_TREE: top,
      CAPSTAN_GIT_FOLDERS: [env['CAPSTAN_GIT_FOLDERS'], named(folder)].filter((each) => each !== undefined).join('\n'),
      ...withSettings(env, [
        // What goes on in the background would be ended with the command.
        ['gc.autoDetach', 'false'],
        ['maintenance.autoDetach', 'false'],
        ['repack.updateServerInfo', 'false'],
        // A new branch would fail for a setting that it does not need.
        ...(settings === true ? [] : [['branch.autoSetupMerge', 'false'] as const]),
      ]),
    },
    tidy() {
      for (const path of unmade) {
        try {
          fileSystem.rmSync(diskPath(path), { force: true, recursive: true });
        } catch {
          // It is no file that git would read.
        }
      }
    },
  };
}

function withSettings(
  env: Readonly<Record<string, string>>,
  settings: readonly (readonly [key: string, value: string])[],
): Readonly<Record<string, string>> {
  const first = Number.parseInt(env['GIT_CONFIG_COUNT'] ?? '0', 10) || 0;
  const named = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    GIT_CONFIG_COUNT: String(first + settings.length),
    ...(Object.fromEntries(named) as Record<string, string>),
  };
}
