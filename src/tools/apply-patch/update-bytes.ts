import { computeUpdate, type UpdateProblem } from './compute-update.ts';
import type { Chunk } from './patch.ts';
import type { SearchEffort } from './seek-lines.ts';
import { bytesOf, bytesAsText } from './text-bytes.ts';

const byteOrderMark = '\ufeff';

/**
 * Applies chunks to a file of any encoding that has ASCII in it. Bytes of lines that no chunk replaces stay as they
 * are, valid UTF-8 or not.
 */
export function updateBytes(
  before: Uint8Array,
  chunks: readonly Chunk[],
  effort: SearchEffort,
):
  | { readonly kind: 'updated'; readonly content: Uint8Array }
  | UpdateProblem
  /** The file is in an encoding in which the patch cannot be applied without harm. */
  | { readonly kind: 'encoding'; readonly reason: string } {
  const text = bytesAsText(before);
  if (!text.isWellFormed()) {
    const reason = harmIn(text, chunks);
    if (reason !== undefined) return { kind: 'encoding', reason };
  }
  const updated = computeUpdate(text, chunks, effort);
  if (updated.kind === 'updated') return { kind: 'updated', content: bytesOf(updated.text) };
  if (!text.startsWith(byteOrderMark)) return updated;
  // The mark is invisible and in no patch: without it the first line may fit.
  const unmarked = computeUpdate(text.slice(1), chunks, effort);
  if (unmarked.kind !== 'updated') return updated;
  return { kind: 'updated', content: bytesOf(byteOrderMark + unmarked.text) };
}

function harmIn(text: string, chunks: readonly Chunk[]): string | undefined {
  // Two bytes per character, or no text at all: its line feeds are not ours.
  if (text.includes('\0')) return 'the file is not UTF-8 text';
  const added = chunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind !== 'remove'));
  if (added.every((line) => /^[\0-\x7f]*$/.test(line.text))) return undefined;
  return 'the file is not UTF-8 text, and the patch has characters that would be written as UTF-8';
}
