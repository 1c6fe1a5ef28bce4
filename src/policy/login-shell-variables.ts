import { defined } from '../protocol/defined.ts';

type Variables = Readonly<Record<string, string>>;

/**
 * The variables that commands start from. The caller's win, because the user set them for this run: a virtual
 * environment, a version of Node. The login shell adds what is missing, and its folders of PATH come after the caller's.
 */
export function withLoginShell(caller: Variables, loginShell: Variables): Variables {
  return { ...loginShell, ...caller, ...defined({ PATH: joinPaths(caller['PATH'], loginShell['PATH']) }) };
}

/** Of the second path only absolute folders are added: an empty or relative one means the folder of the command. */
function joinPaths(first: string | undefined, second: string | undefined): string | undefined {
  const added = (second ?? '').split(':').filter((folder) => folder.startsWith('/'));
  if (first === undefined || first === '') return added.length === 0 ? first : unique(added, []).join(':');
  return [first, ...unique(added, first.split(':'))].join(':');
}

function unique(folders: readonly string[], known: readonly string[]): readonly string[] {
  const seen = new Set(known.map(withoutSlash));
  return folders.filter((folder) => {
    const name = withoutSlash(folder);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function withoutSlash(folder: string): string {
  return folder.length > 1 && folder.endsWith('/') ? folder.slice(0, -1) : folder;
}
