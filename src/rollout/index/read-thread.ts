import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { OpenFile } from '../../ports/files.ts';
import type { Ordinal } from '../../protocol/ids.ts';
import { Fault } from '../../protocol/outcome.ts';
import { openListedRollout } from '../compressed/compressed-file.ts';
import { errorCode } from '../../disk/file-system.ts';
import { openLineage, type OpenRollout, readLineage, type Segment } from '../lines/lineage.ts';
import { parseRolloutName } from '../find/names.ts';
import { nodeFiles } from '../disk/node-files.ts';
import { read } from '../lines/read.ts';
import { readHead } from '../lines/read-head.ts';
import { endOfLastLine, fileWindow } from '../disk/open-file.ts';
import { concernsLists, emptyFold, type ThreadFold } from './thread-fold.ts';
import { type SpokenMessage, ThreadListener } from './thread-listener.ts';

/** How far a file was read, and what came of it. */
export interface Reading {
  /** After the last whole line. */
  readonly offset: number;
  /** Made from what stands before the offset: if that is another text now, the file is another file. */
  readonly mark: string;
  readonly fold: ThreadFold;
}

export interface NewReading extends Reading {
  /** Messages that are new. */
  readonly messages: readonly SpokenMessage[];
  /** Messages of later turns that were known before are taken back. */
  readonly keptTurns: number;
  /** With a last line that has no newline yet, if it reads as one. */
  readonly shown: ThreadFold;
  /** False when a file that it continues from is not there: only its own lines were read. */
  readonly whole: boolean;
  /** False when the last line has no newline yet. */
  readonly terminated: boolean;
}

/**
 * Reads what a file says since the last reading, or all of it and of the files that it continues from. `findRollout`
 * says where those are. `nothing`: the file holds no thread, or not yet.
 */
export async function readListed(
  path: string,
  before: Reading | undefined,
  findRollout: (rolloutId: string) => string | undefined,
): Promise<NewReading | 'nothing'> {
  const opened: OpenFile[] = [];
  const open = async (at: string): Promise<OpenFile> => {
    const file = await openListedRollout(nodeFiles, at);
    opened.push(file);
    return file;
  };
  try {
    const own = await open(path);
    const size = await own.size();
    const end = await endOfLastLine(own, size);
    const goesOn = before !== undefined && before.offset <= end && (await markAt(own, before.offset)) === before.mark;
    if (!goesOn && (await readHead(fileWindow(own, 0, end))).kind !== 'meta') return 'nothing';
    const listener = new ThreadListener(goesOn ? before.fold : emptyFold, goesOn);
    const rolloutId = parseRolloutName(basename(path))?.rolloutId ?? '';
    const all = { rolloutId, path, file: fileWindow(own, 0, end) };
    const segments = goesOn ? [] : await lineage(all, open, findRollout);
    await listener.hear(
      goesOn ? read(fileWindow(own, before.offset, end), options) : readLineage(segments ?? [all], options),
    );
    const { fold, messages, keptTurns } = listener;
    const tail = new ThreadListener(fold, true);
    if (end < size) await tail.hear(read(fileWindow(own, end, size), options));
    const reading = { offset: end, mark: await markAt(own, end), fold, messages, keptTurns };
    return { ...reading, shown: tail.fold, whole: segments !== undefined, terminated: end === size };
  } finally {
    for (const file of opened) await file.close();
  }
}

const options = { from: 0 as Ordinal, wanted: concernsLists };

/** Undefined when it is broken. */
async function lineage(
  own: OpenRollout,
  open: (path: string) => Promise<OpenFile>,
  findRollout: (rolloutId: string) => string | undefined,
): Promise<readonly Segment[] | undefined> {
  try {
    return await openLineage(own, async (rolloutId) => {
      const path = findRollout(rolloutId);
      return path === undefined ? undefined : { rolloutId, path, file: await open(path) };
    });
  } catch (error) {
    if (error instanceof Fault || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function markAt(file: OpenFile, offset: number): Promise<string> {
  const start = Math.max(0, offset - 256);
  const bytes = await file.read(start, offset - start);
  return hash('sha1', bytes, 'hex');
}
