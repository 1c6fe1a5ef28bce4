import { type Line, type LineKind, lineType } from '../protocol/line.ts';
import { isSelfContained } from './compacted.ts';

/** Where a fold may begin: at a line that replaces everything before it, or at the start. */
export type FoldStart = { readonly kind: 'start' } | { readonly kind: 'checkpoint'; readonly line: Line };

/** Whether the search for the start looks at a line of this kind. */
export function decidesStart({ type, payloadType = rolledBack }: LineKind): boolean {
  return type === lineType.compacted || (type === lineType.event && payloadType === rolledBack);
}

const rolledBack = 'thread_rolled_back';

/**
 * Reads lines newest first, only as far as needed. A rollback marker may reach back past any checkpoint, so a file with
 * one after its newest checkpoint is folded whole.
 */
export async function locate(linesBackwards: AsyncIterable<Line>): Promise<FoldStart> {
  for await (const line of linesBackwards) {
    if (line.type === lineType.event && line.payload['type'] === rolledBack) return { kind: 'start' };
    if (line.type === lineType.compacted && line.ordinal !== undefined && isSelfContained(line.payload)) {
      return { kind: 'checkpoint', line };
    }
  }
  return { kind: 'start' };
}
