import type { BlobRef, Blobs } from '../../ports/blobs.ts';
import { objectAt, type JsonObject } from '../../protocol/json.ts';
import type { LineDraft } from '../../protocol/line.ts';

/** The draft with names in place of what stood beside it, and what must be safe before the line is. */
export function keepBeside(
  draft: LineDraft,
  blobs: Blobs,
): { readonly draft: LineDraft; readonly durable: readonly Promise<void>[] } {
  const { beside, ...line } = draft;
  if (beside === undefined) return { draft, durable: [] };
  const kept = Object.entries(beside).map(([key, bytes]) => [key, blobs.keep(bytes, 'within-budget')] as const);
  const names = Object.fromEntries(kept.map(([key, blob]) => [key, nameOf(blob)]));
  const capstan = line.metadata === undefined ? undefined : objectAt(line.metadata, 'capstan');
  return {
    draft: { ...line, metadata: { ...line.metadata, capstan: { ...capstan, ...names } } },
    durable: kept.map(([, blob]) => blob.durable),
  };
}

/** Says so where only the name is left. */
function nameOf({ ref, kept }: { readonly ref: BlobRef; readonly kept: boolean }): JsonObject {
  return { sha256: ref.sha256, bytes: ref.bytes, ...(kept ? {} : { kept }) };
}
