import type { ByteRange, OpenFile } from '../../../ports/files.ts';
import type { ReadOptions, ReadReport, Wanted } from '../../../ports/thread-store.ts';
import { arrayAt, type JsonObject, objectAt, objectsAt, stringAt } from '../../../protocol/json.ts';
import { type Line, type LineDraft, type LineKind, lineType } from '../../../protocol/line.ts';
import { decodeLine, decodePeeked } from './line-format.ts';
import { type PeekedLine, peekLine, type RawLine, splitLinesBackward, splitLinesForward } from './split-lines.ts';
import { rememberStoredItem, parseLineWithoutOutput } from './stored-item-text.ts';

/**
 * The lines of a rollout in file order from an ordinal on; a line without ordinal counts as one after its predecessor.
 * Blank lines are ignored; bad ones are counted in `skipped` if they are wanted, since others are not parsed. A reader
 * of a live thread never sees a partial line.
 */
export async function* readRolloutLines(file: OpenFile, { from, to, wanted = everyLine }: ReadOptions) {
  const skipped = createSkipCounter();
  const start = from === 0 ? beginning : await startAt(file, from);
  let { place } = start;
  for await (const block of splitLinesForward(file, { from: start.at })) {
    for (const raw of block) {
      const line = decodeWantedLine(raw, wanted);
      if (line === 'bad') skipped.add(raw);
      if (line === 'bad' || line === undefined) continue;
      place = line.ordinal ?? place + 1;
      if (to !== undefined && place >= to) return skipped.report();
      if (place >= from && isLine(line)) yield line;
    }
  }
  return skipped.report();
}

export function createSkipCounter() {
  let skipped = 0;
  let tooLong: readonly ByteRange[] = [];
  return {
    add({ isTooLong, at, length }: RawLine): void {
      skipped += 1;
      if (isTooLong) tooLong = [...tooLong, { start: at, end: at + length }];
    },
    join(report: ReadReport): void {
      skipped += report.skipped;
      tooLong = [...tooLong, ...(report.tooLong ?? [])];
    },
    report: (): ReadReport => ({ skipped, ...(tooLong.length > 0 && { tooLong }) }),
  };
}

const beginning = { at: 0, place: -1 };

/** An offset before all lines from the ordinal on, and the ordinal of the line that ends there. */
async function startAt(file: OpenFile, from: number): Promise<{ readonly at: number; readonly place: number }> {
  for await (const block of splitLinesBackward(file)) {
    for (const raw of block) {
      const ordinal = ordinalOf(raw, from);
      if (ordinal !== undefined && ordinal < from)
        return { at: raw.at + raw.length + (raw.terminated ? 1 : 0), place: ordinal };
    }
  }
  return beginning;
}

/** Parses a line that claims an ordinal below the limit, since a damaged one may claim any. Believes other claims. */
export function ordinalOf(raw: RawLine, limit: number = Infinity): number | undefined {
  const claimed = peekLine(raw)?.ordinal;
  if (claimed !== undefined && claimed >= limit) return claimed;
  const line = decodeLine(raw.bytes);
  return line === 'blank' || line === 'bad' ? undefined : line.ordinal;
}

/** All lines of a rollout, newest first, by the rules of `read`. */
export async function* readRolloutLinesBack(file: OpenFile, wanted: Wanted = everyLine) {
  const skipped = createSkipCounter();
  for await (const block of splitLinesBackward(file)) {
    for (const raw of block) {
      const line = decodeWantedLine(raw, wanted);
      if (line === 'bad') skipped.add(raw);
      else if (line !== undefined && isLine(line)) yield line;
    }
  }
  return skipped.report();
}

export const everyLine: Wanted = () => true;
type Unwanted = Pick<PeekedLine, 'ordinal'>;

/** Undefined if the line is blank or incomplete. Gives only the ordinal of a line that is not wanted. */
export function decodeWantedLine(
  raw: RawLine,
  wanted: Wanted,
  peeked = peekLine(raw),
): Line | Unwanted | 'bad' | undefined {
  if (peeked !== undefined && !wanted(peeked)) return { ordinal: peeked.ordinal };
  const unread = peeked === undefined ? undefined : parseLineWithoutOutput(raw, peeked);
  if (unread !== undefined) return unread;
  const line = peeked === undefined ? decodeLine(raw.bytes) : decodePeeked(raw);
  if (line === 'blank') return undefined;
  if (line === 'bad') return raw.terminated || raw.isTooLong ? 'bad' : undefined;
  if (!wanted(lineKindOf(line))) return { ordinal: line.ordinal };
  if (peeked !== undefined) rememberStoredItem(line, raw, peeked.payloadAt);
  return line;
}

export const lineKindOf = ({ type, payload }: Line): LineKind => ({ type, payloadType: stringAt(payload, 'type') });
export const isLine = (line: Line | Unwanted): line is Line => 'payload' in line;

export type RolloutHead =
  /** `isFirst`: only blank lines precede it. */
  | { readonly kind: 'meta'; readonly meta: JsonObject; readonly isFirst: boolean }
  /** Not one complete line: the writer died before its first sync, so nothing in the file was ever acknowledged. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'other' };

/** Finds the metadata. Other programs put blank lines, bad ones and events before it. `longest`: limit for these. */
export async function readRolloutHead(
  file: OpenFile,
  options: { readonly longest?: number } = {},
): Promise<RolloutHead> {
  let isEmpty = true;
  for await (const block of splitLinesForward(file, options)) {
    for (const { bytes, terminated } of block) {
      const line = decodeLine(bytes);
      if (line === 'blank' || (line === 'bad' && !terminated)) continue;
      const isFirst = isEmpty;
      isEmpty = false;
      if (line === 'bad') continue;
      if (line.type === lineType.sessionMeta) return { kind: 'meta', meta: line.payload, isFirst };
      if (talk.has(line.type)) return { kind: 'other' };
    }
  }
  return { kind: isEmpty ? 'empty' : 'other' };
}

const talk: ReadonlySet<string> = new Set([lineType.responseItem, 'inter_agent_communication']);

/** Converts a line to the old form of a rollout: records for screens are events there, except plans. */
export function legacyLines(draft: LineDraft): readonly LineDraft[] {
  const { type, payload } = draft;
  if (type !== lineType.event || payload['type'] !== 'item_completed') return [draft];
  const item = objectAt(payload, 'item') ?? {};
  if (item['type'] === 'Plan') return [draft];
  return legacyEvents(item, stringAt(payload, 'turn_id') ?? '').map((event) => ({ type, payload: event }));
}

function legacyEvents(item: JsonObject, turnId: string): readonly JsonObject[] {
  const content = objectsAt(item, 'content');
  const message = content.flatMap((part) => stringAt(part, 'text') ?? []).join('\n');
  switch (item['type']) {
    case 'UserMessage': {
      const images = content.flatMap((part) => (part['type'] === 'local_image' ? [part['path'] ?? ''] : []));
      return [{ type: 'user_message', message, images: [], local_images: images, text_elements: [] }];
    }
    case 'AgentMessage':
      return [{ type: 'agent_message', message, phase: item['phase'] ?? null, memory_citation: null }];
    case 'Reasoning':
      return (arrayAt(item, 'summary_text') ?? []).map((text) => ({ type: 'agent_reasoning', text }));
    case 'FileChange':
      return [patchEnd(item, turnId)];
    case 'ContextCompaction':
      return [{ type: 'context_compacted' }];
    default:
      return [];
  }
}

function patchEnd({ id, status, changes, capstan }: JsonObject, turnId: string): JsonObject {
  const ran = { stdout: '', stderr: '', success: status === 'completed' };
  return { type: 'patch_apply_end', call_id: id, turn_id: turnId, ...ran, changes, status, capstan };
}
