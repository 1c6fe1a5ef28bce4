import { join } from 'node:path';
import { readBounded } from '../../disk/regular-files.ts';
import { listFolderNames } from '../../disk/file-system.ts';
import { readLimits } from './read-guard.ts';

export interface ThemeFile {
  readonly name: string;
  readonly path: string;
  readonly content: { readonly text: string } | { readonly problem: string };
}

const mostFiles = 100;

/** The user's own themes: `themes/NAME.json` in the home folder. */
export function themeFiles(home: string): readonly ThemeFile[] {
  const folder = join(home, 'themes');
  const names = listFolderNames(folder).filter((name) => /^[\w-]{1,60}\.json$/.test(name));
  const sorted = names.toSorted().slice(0, mostFiles);
  return sorted.map((name) => {
    const path = join(folder, name);
    const read = readBounded(path, { maxBytes: readLimits.themeBytes });
    const problem = read.kind === 'unread' ? read.reason : 'it is gone';
    const content = read.kind === 'read' ? { text: read.bytes.toString('utf8') } : { problem };
    return { name: name.slice(0, -'.json'.length), path, content };
  });
}
