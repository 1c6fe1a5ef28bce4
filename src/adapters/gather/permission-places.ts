import { defined, valueOr } from '../../base/objects.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { isBareRepository, namesAgainstBareRepository, noOwnPlaces } from '../../core/policy/paths/special-places.ts';
import type { OwnPlaces, PermissionPlaces } from '../../core/policy/paths/special-places.ts';
import { writablePatterns } from '../../core/policy/profiles/profile-entries.ts';
import { grantedToWrite, resolvePolicy } from '../../core/policy/profiles/resolve-policy.ts';
import { unstorableTextPart } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { PermissionProfile } from '../../protocol/permissions.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import { toNodePath, fileSystem, kindOfEntry, inspectEntry, realPathSoFar } from '../disk/file-system.ts';
import { folderAndParents, hasProjectMarker, withTrailingSeparator } from './files/project-folders.ts';
import { findGitDirectory, repositoryGitSettings, userGitSettings } from './git/repository.ts';
import { findNestedRepositories, registeredSubmodules } from './git/submodules.ts';
import { dirname, isAbsolute, join } from 'node:path';

type PlacesFor = { readonly own: OwnPlaces; readonly profile?: PermissionProfile; readonly landlock?: true };

export function findPermissionPlaces(
  cwd: string,
  env: EnvironmentVariables,
  { own, profile, landlock }: PlacesFor,
): PermissionPlaces {
  const { TMPDIR: temporary } = env;
  const missing = profile === undefined ? [] : missingRoots(profile, temporary);
  const repositories = repositoriesAround(cwd);
  const { submodules, absentSubmodules } = submodulesOf(repositories);
  const ofUser = userGitSettings(env, cwd).files.filter((file) => kindOfEntry(file) !== 'missing');
  const gitIncludes = [...ofUser, ...repositories.flatMap((repository) => includedSettings(repository, env['HOME']))];
  const places: PermissionPlaces = {
    cwd,
    workspaceRoots: [cwd],
    ...(repositories.length > 0 && { repositories }),
    ...(submodules.length > 0 && { submodules }),
    ...(absentSubmodules.length > 0 && { absentSubmodules }),
    ...(gitIncludes.length > 0 && { gitIncludes }),
    ...(temporary !== undefined && isAbsolute(temporary) && { temporaryDirectory: temporary }),
    slashTmp: kindOfEntry('/tmp') === 'folder',
    gitDirectories: pointedToDirectories(cwd),
    gitNames: gitNamesIn(cwd, { isBelowRepository: repositories.length > 0 }),
    own,
    ...(missing.length === 0 ? {} : { missing }),
    ...defined({ landlock }),
  };
  return profile === undefined ? places : { ...places, real: realPlaces(profile, places) };
}

/** Repositories in the working folder and above it: commands can write all that are in a writable root. */
const repositoriesAround = (cwd: string): readonly string[] =>
  [...folderAndParents(cwd)].filter((folder) => hasProjectMarker(`${withTrailingSeparator(folder)}.git`, '.git'));

/** Each takes up to five mounts if checked out, else one. */
const mostSubmodules = 64;
const mostAbsent = 200;

/** Submodules from `.gitmodules` and from the index. Git enters those of the index even if `.gitmodules` lacks them. */
function submodulesOf(repositories: readonly string[]) {
  const found = repositories.map((repository) => findNestedRepositories(repository));
  const linked = found.flatMap(({ folders }) => folders);
  const allThere = linked.filter((each) => each.isCheckedOut);
  const allAbsent = linked.filter((each) => !each.isCheckedOut);
  const isWhole = found.every((each) => each.isWhole);
  const isAll = isWhole && allThere.length <= mostSubmodules && allAbsent.length <= mostAbsent;
  const [there, absent] = [allThere.slice(0, mostSubmodules), allAbsent.slice(0, mostAbsent)];
  // If the parent is missing, too, protecting the submodule would keep commands from creating anything in the parent.
  const absentSubmodules = absent
    .map(({ folder }) => folder)
    .filter((folder) => kindOfEntry(dirname(folder)) === 'folder');
  const registered = repositories.flatMap(registeredSubmodules).filter((folder) => !absentSubmodules.includes(folder));
  return { submodules: [...new Set([...registered, ...there.map(({ folder }) => folder)])], absentSubmodules, isAll };
}

/** Shown when a thread or a sandbox is opened: submodules beyond the limits are open to commands. */
export function unprotectedSubmoduleNotices(cwd: string): readonly Outcome<'submodules-unprotected'>[] {
  if (submodulesOf(repositoriesAround(cwd)).isAll) return [];
  const message = `The git index names more submodules than Capstan can protect, names one whose path is too long or cannot be looked at, or is too large to read. Commands can put repositories where it names others.`;
  const next =
    'Git runs the programs that their settings name, also by a plain `git status`. Work in a folder with fewer submodules, or check them before you run git.';
  return [{ code: 'submodules-unprotected', message, next }];
}

/** Files included by a repository's settings, as far as they exist. Commands could name programs for git in them. */
function includedSettings(repository: string, home: string | undefined): readonly string[] {
  const directory = findGitDirectory(repository);
  if (directory === undefined) return [];
  const { files } = repositoryGitSettings(directory, home);
  const isOwn = (file: string): boolean => isWithin(file, directory.path) || isWithin(file, directory.common);
  return files.filter((file) => !isOwn(file) && kindOfEntry(file) !== 'missing');
}

const realPlaces = (profile: PermissionProfile, places: PermissionPlaces): Readonly<Record<string, string>> =>
  Object.fromEntries(grantedToWrite(profile, places).map((path) => [path, realPathSoFar(path)]));

/** The target of a `.git` file and, for a linked worktree, the shared folder with its hooks and configuration. */
function pointedToDirectories(cwd: string): readonly string[] {
  const directory = findGitDirectory(cwd);
  if (directory === undefined || !directory.isPointedTo) return [];
  return [...new Set([directory.path, directory.common])];
}

const bareNames = ['HEAD', 'config', 'hooks', 'info', 'objects', 'refs', 'packed-refs', 'commondir', 'worktrees'];

/** Without a `.git`, a folder can become a bare repository, and git obeys the `config` in it. */
function gitNamesIn(cwd: string, where: { readonly isBelowRepository: boolean }): readonly string[] {
  const directory = findGitDirectory(cwd);
  // Git ignores an incomplete `.git`.
  if (directory !== undefined && ['objects', 'refs'].every((name) => isIn(directory.common, name))) return [];
  if (isBareRepository((name) => isIn(cwd, name))) return bareNames.filter((name) => isIn(cwd, name));
  return namesAgainstBareRepository((name) => isFree(join(cwd, name)), where);
}

/** Counts an empty folder as free: it may be a mount point of a running sandbox, and all engines must agree. */
function isFree(path: string): boolean {
  const { kind } = inspectEntry(path);
  if (kind !== 'folder') return kind === 'missing';
  return valueOr(false, () => fileSystem.readdirSync(toNodePath(path)).length === 0);
}

function isIn(folder: string, name: string): boolean {
  // Git also accepts a `HEAD` that is a dangling link.
  return inspectEntry(join(folder, name)).kind !== 'missing';
}

function missingRoots(profile: PermissionProfile, temporaryDirectory: string | undefined): readonly string[] {
  const written = writablePatterns(profile).flatMap((pattern) => {
    if (pattern.type === 'path') return [pattern.path];
    const isTemporary = pattern.type === 'special' && pattern.value.kind === 'tmpdir';
    return isTemporary && temporaryDirectory !== undefined ? [temporaryDirectory] : [];
  });
  return [...new Set(written)].filter((path) => path.startsWith('/') && kindOfEntry(path) === 'missing');
}

export type MissingRoot = Outcome<'writable-root-missing'>;

/** Shown when a thread is opened. A missing root inside another writable root needs no notice: commands can make it. */
export function missingRootNotices(
  profile: PermissionProfile,
  { cwd, temporaryDirectory }: { readonly cwd: string; readonly temporaryDirectory: string | undefined },
): readonly MissingRoot[] {
  const missing = missingRoots(profile, temporaryDirectory);
  if (missing.length === 0) return [];
  const { files } = resolvePolicy(profile, {
    cwd,
    workspaceRoots: [cwd],
    ...defined({ temporaryDirectory }),
    slashTmp: true,
    gitDirectories: [],
    own: noOwnPlaces,
    missing,
  });
  const lost = files.kind === 'restricted' ? (files.missingRoots ?? []) : [];
  return lost.map((path) => ({
    code: 'writable-root-missing',
    message: `The writable root ${JSON.stringify(path)} does not exist, so commands and patches cannot write there.`,
    next: 'Create the folder, or remove it from the writable roots.',
  }));
}

export function folderProblem(path: string): Outcome<'folder-missing'> | undefined {
  const code = 'folder-missing';
  const odd = unstorableTextPart(path);
  if (odd !== undefined) {
    const message = `The path of the folder contains ${odd}: ${JSON.stringify(path)}`;
    return { code, message, next: 'Choose another working folder with -C.' };
  }
  const kind = kindOfEntry(path);
  if (kind === 'folder') return undefined;
  const message = kind === 'missing' ? `The folder ${path} does not exist.` : `${path} is not a folder.`;
  return { code, message, next: 'Create it, or choose another working folder with -C.' };
}
