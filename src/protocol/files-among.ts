/**
 * The paths of a restore that are files: a folder is listed beside what is in it, and people and the model count files.
 * `all`: every path that the restore is about.
 */
export function filesAmong<Path extends string | { readonly path: string }>(
  paths: readonly Path[],
  all: readonly string[],
): readonly Path[] {
  const folders = foldersOf(all);
  return paths.filter((each) => !folders.has(typeof each === 'string' ? each : each.path));
}

function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}
