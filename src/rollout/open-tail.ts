import type { OpenFile } from '../ports/files.ts';
import type { HistoryMode, NewestLine, OpenRefused } from '../ports/rollout-store.ts';
import { defined } from '../protocol/defined.ts';
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import { numberAt, stringAt, type JsonObject } from '../protocol/json.ts';
import { type Line, lineType } from '../protocol/line.ts';
import { decodeLine } from './lines/line-codec.ts';
import { historyMode } from './lines/history-base.ts';
import { type Head, readHead } from './lines/read-head.ts';
import { unbornThread, unreadableThread, type ThreadFile } from './refusals.ts';
import { splitBackward } from './lines/split-lines.ts';

/** Where writing continues. */
export interface Tail {
  readonly kind: 'tail';
  /** Payload of the first line. */
  readonly meta: JsonObject;
  /** Absent in a file of the old form. */
  readonly nextOrdinal: Ordinal | undefined;
  /** The last line that has an ordinal, unless it is the first of the file. */
  readonly newest?: NewestLine;
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
  const head = await readHead(file);
  if (head.kind === 'empty') return unbornThread(thread);
  const checked = checkHead(head, thread.id);
  if (typeof checked === 'string') return unreadableThread(thread, checked);
  const { mode, meta } = checked;
  const { last, lastTime, skipped, rest, restBytes } = await scanEnd(file, mode);
  const nextOrdinal = mode === 'legacy' ? undefined : ordinalAfter(last?.ordinal, meta);
  if (typeof nextOrdinal === 'string') return unreadableThread(thread, nextOrdinal);

  let size = await file.size();
  if (rest === 'torn') {
    size -= restBytes;
    await file.truncate(size);
  } else if (rest === 'whole') {
    await file.append(Uint8Array.of(0x0a));
    size += 1;
  }
  const torn = rest === 'torn' ? { bytes: restBytes } : undefined;
  return { kind: 'tail', meta, nextOrdinal, lastTime, size, skipped, ...defined({ torn, newest: newestOf(last) }) };
}

function newestOf(last: Line | undefined): NewestLine | undefined {
  if (last?.ordinal === undefined || last.type === lineType.sessionMeta) return undefined;
  return { ordinal: last.ordinal, timestamp: last.timestamp };
}

/** The ordinal of the next line, or why there is none. */
function ordinalAfter(last: number | undefined, meta: JsonObject): Ordinal | string {
  if (last === undefined) return 'its lines have no numbers, so Capstan cannot tell where to continue';
  if (last > Number.MAX_SAFE_INTEGER - ordinalsToSpare)
    return `its last line number, ${last}, is the highest possible one`;
  const incomplete = last + 1 < (numberAt(meta, 'subagent_history_start_ordinal') ?? 0);
  return incomplete ? 'the history that it copied from its parent is incomplete' : ((last + 1) as Ordinal);
}

/**
 * Reads backwards as far as the last line that has an ordinal; in the old form, as far as the last line. `rest` is what
 * stands after the last newline.
 */
async function scanEnd(file: OpenFile, mode: HistoryMode) {
  let rest: 'none' | 'whole' | 'torn' = 'none';
  let [lastTime, skipped, restBytes] = [0, 0, 0];
  for await (const block of splitBackward(file)) {
    for (const { bytes, terminated, length } of block) {
      const line = decodeLine(bytes);
      const isLine = line !== 'blank' && line !== 'bad';
      if (!terminated) [rest, restBytes] = [isLine ? 'whole' : 'torn', length];
      else if (line === 'bad') skipped += 1;
      if (!isLine) continue;
      const time = Date.parse(line.timestamp);
      if (time > lastTime) lastTime = time;
      if (mode === 'legacy' || line.ordinal !== undefined) return { last: line, lastTime, skipped, rest, restBytes };
    }
  }
  return { last: undefined, lastTime, skipped, rest, restBytes };
}

/** What the first line says, or why writing cannot continue. */
function checkHead(head: Head, id: ThreadId) {
  if (head.kind !== 'meta' || !head.isFirst) return 'its first line does not describe a thread';
  const { meta } = head;
  const owner = stringAt(meta, 'id') ?? 'one without an id';
  if (owner.toLowerCase() !== id) return `it belongs to another thread, ${owner}`;
  const mode = historyMode(meta);
  return mode === undefined ? `its history mode is unknown: ${JSON.stringify(meta['history_mode'])}` : { mode, meta };
}
