import { defined } from '../../../base/objects.ts';
import { generatedImagesFragment } from '../../../core/fragments/events/files-and-images.ts';
import { imageLine } from '../../../core/state/drafts/item-lines.ts';
import type { Item } from '../../../protocol/item.ts';
import { stringAt } from '../../../protocol/json.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { recordEvent } from '../record/record-context.ts';
import { recordTurnItem } from '../record/record-items.ts';
import type { Turn } from '../thread-parts.ts';

/** Saves, shows and records the picture, in this order. Returns its path; undefined: it was not saved. */
export async function recordImage(turn: Turn, item: Item): Promise<string | undefined> {
  const { log, parts, turnId, threadId } = turn;
  const [id, result] = [stringAt(item, 'id') ?? '', stringAt(item, 'result') ?? ''];
  const isMade = result !== '' && item['status'] !== 'failed';
  const saved = isMade ? await parts.saveImage?.({ threadId, id, base64: result }) : undefined;
  const { path, problem }: { path?: string; problem?: string } = saved ?? {};
  const shown: TurnItem = {
    kind: 'image-generation',
    id,
    status: isMade ? 'completed' : 'failed',
    ...defined({ prompt: stringAt(item, 'revised_prompt'), path, problem }),
  };
  recordTurnItem(turn, shown);
  log.tell({ kind: 'item-completed', turnId, item: shown });
  log.record(imageLine(item, turnId, path));
  return path;
}

export function reportSavedImages(turn: Turn, saved: readonly (string | undefined)[]): void {
  const paths = saved.filter((path) => path !== undefined);
  if (paths.length > 0) recordEvent(turn, generatedImagesFragment, { paths });
}
