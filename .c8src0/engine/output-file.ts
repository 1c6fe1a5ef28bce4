import { basename, dirname, join } from 'node:path';
import { fileSystem, inspectEntry, realPath } from '../adapters/disk/file-system.ts';
import { withFolderHandle } from '../adapters/disk/folder-access.ts';
import { withRegularFile } from '../adapters/disk/regular-files.ts';
import { isWithin } from '../core/policy/paths/absolute-paths.ts';
import { walkPath } from '../core/policy/paths/walk-path.ts';

const { O_CREAT, O_TRUNC, O_WRONLY } = fileSystem.constants;

export interface OutputFile {
  readonly path: string;
  /** Target of the path when it was checked, links resolved. Undefined for a device or a pipe. */
  readonly place: string | undefined;
}

/**
 * Finds where a text will be written. `leads-out`: the path is spelled inside a folder that commands may write, or
 * passes through a link in one, and leads out of it. A command could have made the link, and the text is the model's.
 */
export function findOutputFile(path: string, writable: readonly string[]): OutputFile | 'leads-out' {
  const roots = writable.filter((root) => root.startsWith('/') && root !== '/');
  const place = placeOf(path);
  const real = roots.map(realPath).filter((root) => root !== undefined);
  const passed = walkPath(inspectEntry, path, { lastLink: 'followed' }).links.map(({ location }) => location);
  const isSpelledInside = [path, ...passed].some((at) => [...roots, ...real].some((root) => isWithin(at, root)));
  const staysInside = place !== undefined && real.some((root) => isWithin(place, root));
  if (isSpelledInside && !staysInside) return 'leads-out';
  const found = fileSystem.statSync(path, { throwIfNoEntry: false });
  return { path, place: found === undefined || found.isFile() ? place : undefined };
}

export const leadsOutWords =
  'it leads through a link, which a command may have made, out of the folders where commands may write';

/** Writes the text where the path led before. Throws if a link has replaced the file or its folder. */
export function writeOutputFile({ path, place }: OutputFile, text: string, mode: number): void {
  if (place === undefined) return fileSystem.writeFileSync(path, text);
  const options = { links: 'refused', flags: O_WRONLY | O_CREAT | O_TRUNC, mode } as const;
  withFolderHandle(place, (name) => withRegularFile(name, options, (file) => fileSystem.writeFileSync(file, text)));
}

/** Undefined for a link that leads nowhere. */
function placeOf(path: string): string | undefined {
  if (fileSystem.lstatSync(path, { throwIfNoEntry: false }) !== undefined) return realPath(path);
  const folder = realPath(dirname(path));
  return folder === undefined ? undefined : join(folder, basename(path));
}
