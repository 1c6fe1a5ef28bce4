import type { OpenFile } from '../ports/files.ts';
import type { HistoryMode, OpenRefused } from '../ports/rollout-store.ts';
import type { Ordinal } from '../protocol/ids.ts';
import { numberAt, stringAt, type JsonObject } from '../protocol/json.ts';
import { decodeLine } from './lines/line-codec.ts';
import { historyMode } from './lines/history-base.ts';
import { readHead } from './lines/read-head.ts';
import { unreadableThread, type ThreadFile } from './refusals.ts';
import { splitBackward } from './lines/split-lines.ts';

/** Where writing continues. */
export interface Tail {
  readonly kind: 'tail';
  /** Payload of the first line. */
  readonly meta: JsonObject;
  /** Absent in a file of the old form. */
  readonly nextOrdinal: Ordinal | undefined;
  /** Milliseconds; 0 when no line at the end has a readable time. */
  readonly lastTime: number;
  /** Bytes of the file after mending. */
  readonly size: number;
  /** Present when the end of the file was half a line, which is gone now. */
  readonly torn?: { readonly bytes: number };
  /** Bad lines between the last good one and the end. They stay. */
  readonly skipped: number;
}

// Appending never fails for want of ordinals: no writer lives long enough to use these up.
const ordinalsToSpare = 2 ** 32;

/**
 * Makes a rollout ready for appending: its last line is whole and ends with a newline afterwards. A whole line that
 * only lacks its newline is kept; half a line is cut off. A file that is refused is left as it was, and so is the time
 * of change of a file that needs no mending. Nothing is synced here.
 */
export async function openTail(file: OpenFile, thread: ThreadFile): Promise<Tail | OpenRefused> {
  const meta = await checkHead(file, thread);
  if (meta.kind === 'refused') return meta;
  const end = await scanEnd(file, meta.mode);
  const nextOrdinal = meta.mode === 'legacy' ? undefined : ordinalAfter(end.lastOrdinal, meta.payload);
  if (typeof nextOrdinal === 'string') return unreadableThread(thread, nextOrdinal);

  let size = await file.size();
  if (end.rest === 'torn') {
    size -= end.restBytes;
    await file.truncate(size);
  } else if (end.rest === 'whole') {
    await file.append(Uint8Array.of(0x0a));
    size += 1;
  }
  return {
    kind: 'tail',
    meta: meta.payload,
    nextOrdinal,
    lastTime: end.lastTime,
    size,
    skipped: end.skipped,
    ...(end.rest === 'torn' ? { torn: { bytes: end.restBytes } } : {}),
  };
}

/** The ordinal of the next line, or why there is none. */
function ordinalAfter(last: number | undefined, meta: JsonObject): Ordinal | string {
  if (last === undefined) return 'no line has an ordinal, so there is no place to continue';
  if (last > Number.MAX_SAFE_INTEGER - ordinalsToSpare)
    return `its last ordinal, ${last}, leaves no room for more lines`;
  const incomplete = last + 1 < (numberAt(meta, 'subagent_history_start_ordinal') ?? 0);
  return incomplete ? 'the history that it took over from its parent is incomplete' : ((last + 1) as Ordinal);
}

interface End {
  readonly lastOrdinal: number | undefined;
  readonly lastTime: number;
  readonly skipped: number;
  /** What stands after the last newline. */
  readonly rest: 'none' | 'whole' | 'torn';
  readonly restBytes: number;
}

/** Reads backwards as far as the last line that has an ordinal; in the old form, as far as the last line. */
async function scanEnd(file: OpenFile, mode: HistoryMode): Promise<End> {
  let end: End = { lastOrdinal: undefined, lastTime: 0, skipped: 0, rest: 'none', restBytes: 0 };
  for await (const block of splitBackward(file)) {
    for (const { bytes, terminated } of block) {
      const line = decodeLine(bytes);
      const isLine = line !== 'blank' && line !== 'bad';
      if (!terminated) end = { ...end, rest: isLine ? 'whole' : 'torn', restBytes: bytes.length };
      else if (line === 'bad') end = { ...end, skipped: end.skipped + 1 };
      if (!isLine) continue;
      const time = Date.parse(line.timestamp);
      if (time > end.lastTime) end = { ...end, lastTime: time };
      if (mode === 'legacy' || line.ordinal !== undefined) return { ...end, lastOrdinal: line.ordinal };
    }
  }
  return end;
}

async function checkHead(
  file: OpenFile,
  thread: ThreadFile,
): Promise<OpenRefused | { readonly kind: 'meta'; readonly mode: HistoryMode; readonly payload: JsonObject }> {
  const head = await readHead(file);
  if (head.kind === 'empty') return unreadableThread(thread, 'it is empty: nothing was ever saved in it');
  if (head.kind === 'other' || !head.isFirst)
    return unreadableThread(thread, 'its first line is not the description of a thread');
  const owner = stringAt(head.meta, 'id') ?? 'one without an id';
  if (owner.toLowerCase() !== thread.id) return unreadableThread(thread, `it belongs to another thread, ${owner}`);
  const mode = historyMode(head.meta);
  if (mode === undefined)
    return unreadableThread(thread, `its history mode is unknown: ${JSON.stringify(head.meta['history_mode'])}`);
  return { kind: 'meta', mode, payload: head.meta };
}
