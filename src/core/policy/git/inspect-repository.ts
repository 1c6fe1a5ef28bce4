import { isWithin, joinPath, parentPath } from '../paths/absolute-paths.ts';
import { isBareRepository } from '../paths/special-places.ts';
import { type PathInspection, walkPath } from '../paths/walk-path.ts';

/**
 * The repository that git would use in a folder. `protected`: the workspace's own, and commands can neither change its
 * settings nor put another in front of it. `own`: the workspace's. `other`: any other, or none.
 */
export type RepositoryKind = 'protected' | 'own' | 'other';

export interface RepositoryProbe {
  look(path: string): PathInspection;
  mayWrite(path: string): boolean;
  /** Folders that commands may write to, or once could. Absolute, without links. */
  readonly opened: readonly string[];
  /** Folders in which the command runs and the thread works. Absolute, without links. */
  readonly cwd: string;
  readonly workspace: string;
  /** Paths of the settings of a folder's repository, without links: in `.git`, or where that file leads. */
  settingsOf(folder: string): readonly string[];
  /**
   * Other sources of programs for git in that repository: included settings, hooks, repositories below it. Absolute;
   * they need not exist. Undefined or `unseen`: not all are known. Absent: not looked for, so the repository is at most
   * `own`.
   */
  readonly readsBeside?: (folder: string) => ReadsBeside;
}

type ReadsBeside = readonly string[] | { readonly unseen: string } | undefined;
/** `open`: in the workspace's own repository: a place with programs for git that commands can have written. */
export type InspectedRepository = { readonly kind: RepositoryKind; readonly open?: string };

/** A repository's settings may name programs, which git then runs. */
export function inspectRepository(ground: RepositoryProbe): InspectedRepository {
  const { look, mayWrite, opened, cwd, workspace } = ground;
  const found = nearestRepository(cwd, look);
  if (found === undefined || found !== nearestRepository(workspace, look)) return { kind: 'other' };
  const isOpen = (path: string): boolean => mayWrite(path) || opened.some((root) => isWithin(path, root));
  const isMadeElsewhere = opened.some((root) => root !== found && root !== '/' && isWithin(found, root));
  const { readsBeside } = ground;
  if (readsBeside === undefined || isMadeElsewhere || foldersBetween(cwd, found).some(isOpen)) return { kind: 'own' };
  const open = openSetting(found, ground, readsBeside(found));
  return open === undefined ? { kind: 'protected' } : { kind: 'own', open };
}

/** A place that commands can have written, also where a `.git` file leads: another thread may have written there. */
function openSetting(folder: string, { look, mayWrite, opened, settingsOf }: RepositoryProbe, beside: ReadsBeside) {
  const own = joinPath(folder, '.git');
  const places = settingsOf(folder);
  if (look(own).kind === 'link' || mayWrite(own) || places.length === 0) return own;
  const isOpen = (place: string): boolean =>
    mayWrite(place) || (!isWithin(place, own) && opened.some((root) => isWithin(place, root)));
  if (beside === undefined) return own;
  if ('unseen' in beside) return beside.unseen;
  return [...places, ...beside].find((place) => {
    const { at, rest, links } = walkPath(look, place, { lastLink: 'followed' });
    return [[at, ...rest].join('/'), ...links.map(({ location }) => location)].some(isOpen);
  });
}

/** The nearest folder with a repository of its own. Undefined: none, or a bare one. */
export function nearestRepository(folder: string, look: (path: string) => PathInspection): string | undefined {
  for (let at = folder; ; at = parentPath(at)) {
    const kind = look(joinPath(at, '.git')).kind;
    // An empty folder is no repository, and git searches further up.
    const isRepository = kind === 'folder' ? isThere(look, `${at}/.git/HEAD`) : kind !== 'missing';
    if (isRepository) return at;
    if (isBareRepository((name) => isThere(look, joinPath(at, name))) || at === '/') return undefined;
  }
}

const isThere = (look: (path: string) => PathInspection, path: string): boolean => look(path).kind !== 'missing';

/** From the first folder up, without the last. */
function foldersBetween(from: string, to: string): readonly string[] {
  const folders: string[] = [];
  for (let at = from; at !== to; at = parentPath(at)) folders.push(at);
  return folders;
}
