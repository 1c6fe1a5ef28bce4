/** Folders that decide what programs do later: read-only directly below what may be written, there or not. */
export const protectedNames: readonly string[] = ['.git', '.agents', '.codex', '.aws', '.capstan'];

/** Git reads hooks and settings from these wherever they stand, so they are kept at any depth of what may be written. */
export const namesKeptAnywhere: readonly string[] = ['.git'];

/** The names that shared profiles spell out. Our own is protected all the same, without an entry that others would read. */
export const sharedProtectedNames: readonly string[] = ['.git', '.agents', '.codex', '.aws'];

/** What a sandbox may have to make on the host to keep a command from making it. */
export const mountPointNames: readonly string[] = [...protectedNames, 'HEAD', 'commondir', 'objects', 'refs'];

/** Git takes a folder with these for a repository, without any `.git`. A file `commondir` names where the last two are. */
export function isBareRepository(has: (name: string) => boolean): boolean {
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

/**
 * Names that keep a folder from becoming such a repository, while empty folders stand there that cannot be changed. One
 * name of a set that is in use already would keep nothing.
 *
 * `HEAD` alone is enough, and git finds no repository meanwhile. But below the root of another repository every command
 * that is given the revision `HEAD` would end with "ambiguous argument". The others take two names, since `commondir`
 * replaces them: git refuses a `commondir` that is a folder, and once both have gone, a name is missing. So `commondir`
 * comes first and goes last.
 */
export function namesAgainstBareRepository(
  isFree: (name: string) => boolean,
  { isBelowRepository }: { readonly isBelowRepository: boolean },
): readonly string[] {
  const other = ['refs', 'objects'].find(isFree);
  const pair = other === undefined || !isFree('commondir') ? [] : ['commondir', other];
  const head = isFree('HEAD') ? ['HEAD'] : [];
  const [first, second] = isBelowRepository ? [pair, head] : [head, pair];
  return first.length === 0 ? second : first;
}
