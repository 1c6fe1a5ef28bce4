import { lookAt } from '../../disk/file-system.ts';
import { realPath } from '../../disk/folders.ts';
import { diskPath } from '../../disk/path-bytes.ts';
import { type NamedEntry, withTrueNames } from '../../disk/true-entries.ts';
import type { NamePart } from '../../base/name-machine.ts';
import { globCovers, parseGlob, staticFolderOf } from '../../policy/glob.ts';
import { depthOf, isWithin, joinPath, parentOf } from '../../policy/paths.ts';
import type { Impossible } from './unenforceable.ts';

const mostMatches = 8192;
const mostEntries = 200_000;
/** Folders that are read at the same time. */
const breadth = 32;

/**
 * Everything that the deny globs match now. Names that appear later are not covered: the file tools still refuse
 * them, commands of the same moment can read them.
 */
export async function expandGlobs(
  globs: readonly string[],
  mostDepth = Number.POSITIVE_INFINITY,
): Promise<{ readonly kind: 'matches'; readonly paths: readonly string[] } | Impossible> {
  const matches = new Set<string>();
  let entries = 0;
  for (const glob of globs) {
    const parts = parseGlob(glob);
    const start = staticFolderOf(glob);
    const literal = parts === undefined ? undefined : literalPath(parts);
    if (literal !== undefined) {
      // What is missing is the business of the rules.
      if (lookAt(literal).kind !== 'missing') matches.add(literal);
      continue;
    }
    if (parts === undefined || start === '/')
      return impossible(`The policy denies reading ${JSON.stringify(glob)}, a pattern that covers the whole disk.`);
    const isDeep = parts.some(({ kind }) => kind === 'folders' || kind === 'anything');
    const depth = Math.min(isDeep ? Number.POSITIVE_INFINITY : depthOf(glob), depthOf(start) + mostDepth);
    const pending = [start];
    const linked = new Set<string>();
    while (pending.length > 0) {
      const folders = pending.splice(-breadth);
      const found = await Promise.all(folders.map(async (folder) => ({ folder, names: await read(folder) })));
      for (const { folder, names } of found) {
        entries += names.length;
        for (const entry of names) {
          const path = joinPath(folder, entry.name);
          if (globCovers(glob, path)) matches.add(path);
          else if (depthOf(path) >= depth) continue;
          else if (entry.isDirectory() || (entry.isSymbolicLink() && isNewFolder(path, linked))) pending.push(path);
        }
      }
      if (matches.size > mostMatches)
        return impossible(`${JSON.stringify(glob)} matches more than ${mostMatches} files.`);
      if (entries > mostEntries)
        return impossible(
          `${JSON.stringify(start)} has more than ${mostEntries} files to compare with ${JSON.stringify(glob)}.`,
        );
    }
  }
  return { kind: 'matches', paths: [...matches].toSorted() };
}

/** Whether a link leads to a folder that no link of this walk led to before, and that does not hold the link itself. */
function isNewFolder(link: string, linked: Set<string>): boolean {
  const place = realPath(link);
  if (place === undefined || linked.has(place) || lookAt(place).kind !== 'folder') return false;
  linked.add(place);
  const own = realPath(parentOf(link));
  return own === undefined || !isWithin(own, place);
}

/** The one path that a glob without wildcards means. */
function literalPath(parts: readonly NamePart[]): string | undefined {
  const texts = parts.map((part) => (part.kind === 'text' ? part.text : undefined));
  return texts.includes(undefined) ? undefined : texts.join('');
}

/** A folder that cannot be read by us cannot be read by our commands either. */
async function read(folder: string): Promise<readonly NamedEntry[]> {
  try {
    // Loaded on use: few policies have globs, and every start would pay for it.
    const { readdir } = process.getBuiltinModule('node:fs').promises;
    return withTrueNames(await readdir(diskPath(folder), { withFileTypes: true, encoding: 'utf8' }), folder);
  } catch {
    return [];
  }
}

function impossible(message: string): Impossible {
  const next = 'Begin the deny pattern with the folder it is about, or deny the folder itself.';
  return { kind: 'impossible', message, next };
}
