import type { Change } from './compare-trees.ts';
import { ContentGone, type ContentSource, loadContent, type TreeNode } from './tree.ts';
import { unifiedDiff } from './unified-diff.ts';

/** The changed lines of a file, as `diff -u` shows them without its head; or why there are none to show. */
export type FileDiff =
  | { readonly kind: 'lines'; readonly text: string }
  /** `mode`: only its permissions changed; `not-kept`: the snapshot left its content out, or the content is gone. */
  | { readonly kind: 'binary' | 'large' | 'mode' | 'not-kept' };

/** Of a file on either side; a larger one is named and not compared. */
const mostBytes = 500_000;

/** Compares what stood at a path before and after. A link is compared by where it leads. */
export async function fileDiff(source: ContentSource, { from, to }: Change): Promise<FileDiff> {
  const sides = [from, to];
  if (sides.some((side) => side?.kind === 'left-out')) return { kind: 'not-kept' };
  if (sides.some((side) => side?.kind === 'file' && side.size > mostBytes)) return { kind: 'large' };
  try {
    const [before, after] = [await textOf(source, from), await textOf(source, to)];
    if (before === 'binary' || after === 'binary') return { kind: 'binary' };
    const text = unifiedDiff(before?.text, after?.text);
    return text === '' && from !== undefined && to !== undefined ? { kind: 'mode' } : { kind: 'lines', text };
  } catch (error) {
    if (error instanceof ContentGone) return { kind: 'not-kept' };
    throw error;
  }
}

async function textOf(
  source: ContentSource,
  node: TreeNode | undefined,
): Promise<{ readonly text: string } | 'binary' | undefined> {
  if (node?.kind === 'link') return { text: node.target };
  if (node?.kind !== 'file') return undefined;
  const content = await loadContent(source, node.hash);
  if (content.includes(0)) return 'binary';
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content) };
  } catch {
    return 'binary';
  }
}
