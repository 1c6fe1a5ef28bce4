import { valueOr } from '../../../base/objects.ts';
import { toNodePath, fileSystem, pathText } from '../../disk/file-system.ts';
import { type NamedEntry, withExactNames } from '../../disk/folder-access.ts';
import { accessAt } from '../../../core/policy/paths/access.ts';
import { isWithin, joinPath } from '../../../core/policy/paths/absolute-paths.ts';
import type { PlainCommand } from '../../../ports/sandbox.ts';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import { type DiskView, followLinks } from '../disk-view.ts';
import { mountOptions } from './bubblewrap.ts';

/** Mounts over every path socket that the policy does not list and that a command could see. */
export function hideSockets({ env }: PlainCommand, policy: ResolvedPolicy, disk: DiskView): readonly string[] {
  const visiblePlace: FindVisiblePlace = (path) => {
    const place = followLinks(disk, path);
    const isSeen = place.kind === 'file' && accessAt(policy, place.path) !== 'deny' && isPathSocket(place.path);
    return isSeen ? place.path : undefined;
  };
  return findHiddenSockets(findPathSockets(env), policy.sockets ?? [], visiblePlace).flatMap((path) =>
    mountOptions(path, { kind: 'unreadable-file' }),
  );
}

type Variables = Readonly<Record<string, string>>;
/** Limit for all folders together. */
const mostNames = 5000;

/**
 * Usual socket folders of the system and the user, with the search depth. The kernel's list lacks sockets of other
 * network namespaces, such as a container engine's inside a container.
 */
function socketFolders({ HOME: home, XDG_RUNTIME_DIR: runtime }: Variables): readonly (readonly [string, number])[] {
  const own = ['.gnupg', '.ssh', '.docker/run'].map((name) => [`${home}/${name}`, 1] as const);
  return [['/run', 4], ...(home ? own : []), ...(runtime ? [[runtime, 4] as const] : []), ['/tmp', 2]];
}

function findPathSockets(variables: Variables): readonly string[] {
  const found = new Set([...parseListedSockets(readList()), ...socketsInVariables(variables)]);
  let left = mostNames;
  const walk = (folder: string, depth: number): void => {
    const inner: string[] = [];
    for (const entry of entriesOf(folder)) {
      if (left-- <= 0) return;
      const path = joinPath(folder, entry.name);
      if (entry.isSocket()) found.add(path);
      else if (entry.isDirectory() && depth > 1) inner.push(path);
    }
    for (const path of inner) walk(path, depth - 1);
  };
  for (const [folder, depth] of socketFolders(variables)) walk(folder, depth);
  return [...found];
}

const readList = (): string => valueOr('', () => pathText(fileSystem.readFileSync('/proc/net/unix')));

function entriesOf(folder: string): readonly NamedEntry[] {
  const options = { withFileTypes: true, encoding: 'utf8' } as const;
  return valueOr([], () => withExactNames(fileSystem.readdirSync(toNodePath(folder), options), folder));
}

/** Checks that a socket is there now: names in lists and variables may be outdated. */
const isPathSocket = (path: string): boolean => valueOr(false, () => fileSystem.lstatSync(toNodePath(path)).isSocket());

export function parseListedSockets(list: string): readonly string[] {
  return list.split('\n').flatMap((line) => /^\S+: (?:\S+ +){6}(\/.*)$/.exec(line)?.[1] ?? []);
}

/** Paths in variables such as SSH_AUTH_SOCK, DOCKER_HOST and DBUS_SESSION_BUS_ADDRESS. They may be no sockets. */
export function socketsInVariables(variables: Variables): readonly string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    /SOCK|HOST|ADDRESS|AGENT|SERVER/i.test(name)
      ? [...value.matchAll(/\/[^\s:;,=]+/g)].map(([path]) => path.replace(/^\/\/+/, '/'))
      : [],
  );
}

/** The place that a path leads to, if a command can see it there. */
type FindVisiblePlace = (path: string) => string | undefined;

/** All sockets except those that are listed, by name or by a parent folder. */
export function findHiddenSockets(
  sockets: readonly string[],
  listed: readonly string[],
  visiblePlace: FindVisiblePlace,
) {
  const open = listed.flatMap((path) => [path, visiblePlace(path) ?? path]);
  const isOpen = (path: string) => open.some((place) => isWithin(path, place));
  const hidden = sockets.flatMap((path) => {
    const place = visiblePlace(path);
    return place === undefined || isOpen(path) || isOpen(place) ? [] : [place];
  });
  return [...new Set(hidden)].toSorted();
}
