import { type IgnorePattern, parseIgnorePattern } from './ignore-pattern.ts';

/** The patterns of one ignore file. */
export interface IgnoreFile {
  /** The folder that its paths are relative to. */
  readonly folder: string;
  readonly patterns: readonly IgnorePattern[];
}

/** All ignore files that hold in a folder: the nearest comes last and wins. */
export interface IgnoreRules {
  readonly files: readonly IgnoreFile[];
  /** The same for the same files: what was decided under it holds again. */
  readonly key: string;
  /** Characters of all files together: what it costs to ask about one path. */
  readonly weight: number;
}

export const nothingIgnored: IgnoreRules = { files: [], key: '', weight: 0 };

/** What all files that hold in one folder may have together. A file that exceeds it is left out as a whole. */
export const mostIgnoreBytes = 256 * 1024;

/** The rules with one more file, which stands in the folder. */
export function withIgnoreFile(rules: IgnoreRules, folder: string, text: string): IgnoreRules {
  const weight = rules.weight + text.length;
  if (weight > mostIgnoreBytes) return rules;
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const patterns = lines.flatMap((line) => parseIgnorePattern(line) ?? []);
  if (patterns.length === 0) return rules;
  return { files: [...rules.files, { folder, patterns }], key: `${rules.key}\0${folder}\0${text}`, weight };
}

/** Whether the rules leave out what stands at the path. What is below an ignored folder is not asked about: it is out. */
export function isIgnored(rules: IgnoreRules, path: string, kind: 'folder' | 'other'): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (const { folder, patterns } of rules.files.toReversed()) {
    const inside = path.slice(folder === '/' ? 1 : folder.length + 1);
    const found = patterns.findLast(
      (pattern) => (kind === 'folder' || !pattern.foldersOnly) && pattern.matches(inside, name),
    );
    if (found !== undefined) return !found.negated;
  }
  return false;
}
