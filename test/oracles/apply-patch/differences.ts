import { parsePatch } from '../../../src/adapters/tools/apply-patch/parse-patch.ts';
import type { Hunk } from '../../../src/adapters/tools/apply-patch/patch.ts';
import type { Case } from './cases.ts';
import type { Compared } from './run-case.ts';

/** The comparison of a case: the same in both programs, a deliberate difference, or one that is not meant. */
export type Verdict =
  | 'same'
  | 'partial application'
  | 'pure move'
  | 'anchored addition'
  | 'not UTF-8'
  | 'byte order mark'
  | 'moved onto itself'
  | 'unmeant';

/** Differences are told apart by what both programs did, and by what the patch has in it. */
export function judge({ patch, tree }: Case, { before, ours, theirs }: Compared): Verdict {
  if (ours.code !== 0 && ours.tree !== before) return 'unmeant';
  const sameEnd = (ours.code === 0) === (theirs.code === 0);
  const sameText = sameWords(ours.stderr, theirs.stderr) && ours.stdout === theirs.stdout;
  if (sameEnd && sameText && ours.tree === theirs.tree) return 'same';

  const hunks = hunksOf(patch);
  if (theirs.code !== 0 && ours.code !== 0 && theirs.tree !== before) return 'partial application';
  if (/Update file hunk for path '.*' is empty/.test(theirs.stderr) && patch.includes('*** Move to: '))
    return 'pure move';
  if (/invalid utf-8 sequence|incomplete utf-8/.test(theirs.stderr)) return 'not UTF-8';
  if (hunks.some(isAnchoredAddition)) return 'anchored addition';
  if (/Failed to find (context|expected lines)/.test(theirs.stderr) && hasMark(patch, tree)) return 'byte order mark';
  if (ours.code !== 0) return 'unmeant';
  if (
    hunks.some(isMove) &&
    (theirs.code === 0 ? namesIn(theirs.tree) < namesIn(ours.tree) : missesFile(theirs.stderr))
  ) {
    return 'moved onto itself';
  }
  return 'unmeant';
}

/** Some file begins with one, or may after an addition. */
function hasMark(patch: string, tree: Case['tree']): boolean {
  const mark = '\ufeff';
  const files = Object.values(tree).filter((entry) => entry.kind === 'file');
  return patch.includes(`\n+${mark}`) || files.some(({ content }) => content.toString().startsWith(mark));
}

/** A later hunk did not find the file that an earlier one had moved onto itself. */
function missesFile(stderr: string): boolean {
  return /^Failed to (read file to update|delete file) /.test(stderr);
}

function namesIn(tree: string): number {
  return tree.split('\n').length;
}

/** True if parse problems are the same to the letter. Each program words the system's errors about files itself. */
function sameWords(ours: string, theirs: string): boolean {
  const told = (text: string) => (text.startsWith('Invalid patch') || text.startsWith('Failed to find') ? text : '');
  return told(ours) === told(theirs);
}

function hunksOf(patch: string): readonly Hunk[] {
  const parsed = parsePatch(patch);
  return parsed.kind === 'parsed' ? parsed.patch.hunks : [];
}

function isMove(hunk: Hunk): boolean {
  return hunk.kind === 'update' && hunk.movePath !== undefined;
}

function isAnchoredAddition(hunk: Hunk): boolean {
  if (hunk.kind !== 'update') return false;
  return hunk.chunks.some(({ anchor, lines }) => anchor !== undefined && lines.every(({ kind }) => kind === 'add'));
}
