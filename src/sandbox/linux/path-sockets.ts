import { fileSystem } from '../../disk/file-system.ts';
import { isWithin, joinPath } from '../../policy/paths.ts';

/** Where services of the system and of the user put their sockets. They may belong to another network namespace. */
const socketFolders = ['/run', '/tmp'];
const deepest = 4;
const mostNames = 20_000;

/** The sockets that this machine shows: those that the kernel lists, and those that stand in the usual folders. */
export function findPathSockets(): readonly string[] {
  const found = new Set(listedSockets(readList()));
  let left = mostNames;
  const walk = (folder: string, depth: number): void => {
    for (const entry of entriesOf(folder)) {
      if (left-- <= 0) return;
      const path = joinPath(folder, entry.name);
      if (entry.isSocket()) found.add(path);
      else if (entry.isDirectory() && depth < deepest) walk(path, depth + 1);
    }
  };
  for (const folder of socketFolders) walk(folder, 1);
  return [...found];
}

function readList(): string {
  try {
    return fileSystem.readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return '';
  }
}

function entriesOf(folder: string) {
  try {
    return fileSystem.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The names in the kernel's list of Unix sockets that are paths. */
export function listedSockets(list: string): readonly string[] {
  return list.split('\n').flatMap((line) => /^\S+: (?:\S+ +){6}(\/.*)$/.exec(line)?.[1] ?? []);
}

/** Which of the sockets must be hidden: all but those that are listed, by their name or by a folder around them. */
export function hiddenSockets(
  sockets: readonly string[],
  listed: readonly string[],
  /** Where a path leads, if a command can see it there. */
  visiblePlace: (path: string) => string | undefined,
): readonly string[] {
  const open = listed.flatMap((path) => [path, visiblePlace(path) ?? path]);
  const isOpen = (path: string) => open.some((place) => isWithin(path, place));
  const hidden = sockets.flatMap((path) => {
    const place = visiblePlace(path);
    return place === undefined || isOpen(path) || isOpen(place) ? [] : [place];
  });
  return [...new Set(hidden)].toSorted();
}
