import { defined } from '../protocol/defined.ts';

type Variables = Readonly<Record<string, string>>;

/** The caller's win: the user set them for this run. The login shell adds what is missing, and folders to PATH. */
export function withLoginShell(caller: Variables, loginShell: Variables): Variables {
  return { ...loginShell, ...caller, ...defined({ PATH: joinPaths(caller['PATH'], loginShell['PATH']) }) };
}

/** Of the second path only absolute folders are added: an empty or relative one means the folder of the command. */
function joinPaths(first: string | undefined, second: string | undefined): string | undefined {
  const seen = new Set(first?.split(':').map(withoutSlash));
  const added = (second ?? '')
    .split(':')
    .filter((folder) => folder.startsWith('/') && seen.size < seen.add(withoutSlash(folder)).size);
  return added.length === 0 ? first : [...(first ? [first] : []), ...added].join(':');
}

function withoutSlash(folder: string): string {
  return folder.length > 1 && folder.endsWith('/') ? folder.slice(0, -1) : folder;
}
