import { defined } from '../../../base/objects.ts';
import type { JournalDisk, Lock, OpenFile } from '../../../ports/files.ts';
import type { Clock } from '../../../ports/system.ts';
import type { HistoryMode, NewestLine, Owned } from '../../../ports/thread-store.ts';
import type { Ordinal } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { type Line, type LineDraft, lineType } from '../../../protocol/line.ts';
import { Fault } from '../../../protocol/outcome.ts';
import { diskFault } from '../files/node-files.ts';
import { legacyLines } from '../lines/read-lines.ts';
import { encodeLine } from '../lines/line-format.ts';
import { leaseLost } from './refusals.ts';
import { dirname, sep } from 'node:path';

export interface JournalOptions extends Pick<Owned, 'torn' | 'newest'> {
  readonly path: string;
  readonly file: RolloutFile;
  /** The lease: lines are written only while it is held. */
  readonly lock: Lock;
  readonly clock: Clock;
  /** Absent in the old form, whose lines have none. */
  readonly nextOrdinal: Ordinal | undefined;
  /** Time of the last line in the file, 0 for none. No line gets an earlier one. */
  readonly lastTime: number;
  /** Payload of the first line of a new thread: written before the first append. */
  readonly meta?: JsonObject;
  readonly knownMeta?: JsonObject;
  /** The file existed: a killed process may have left its lines or its name unsynced. */
  readonly isFound?: boolean;
}

/** Once so many characters are queued, they are written, unsynced, before any caller asks for it. */
const mostWaiting = 64 * 1024;
/** Characters per write; exceeded only by a longer line. */
const mostInWrite = 8 * 1024 * 1024;

/**
 * Group commit: `append` only queues lines, and one loop at a time writes and syncs for all waiting callers. Lines and
 * callers that arrive during a sync share the next one. Lines are counted from opening: synced <= written <= appended.
 * `synced` begins negative for a file that existed, so that the first sync also covers its content: new lines are safe
 * only together with it.
 */
export class Journal implements Owned {
  readonly kind = 'owned';
  readonly epoch: number;
  readonly location: string;
  readonly mode: HistoryMode;
  readonly torn?: { readonly bytes: number };
  readonly meta?: JsonObject;
  readonly newest?: NewestLine;

  readonly #options: JournalOptions;
  #meta: JsonObject | undefined;
  #nextOrdinal: number | undefined;
  #lastTime: number;

  #queue: string[] = [];
  #waiting = 0;
  #appended = 0;
  #written = 0;
  #synced = 0;
  #waiters: (PromiseWithResolvers<void> & { readonly upTo: number })[] = [];
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #fault: Fault | undefined;

  constructor(options: JournalOptions) {
    this.epoch = options.lock.epoch;
    this.location = options.path;
    this.mode = options.nextOrdinal === undefined ? 'legacy' : 'paginated';
    this.torn = options.torn;
    this.meta = options.knownMeta;
    this.newest = options.newest;
    this.#options = options;
    this.#meta = options.meta;
    this.#nextOrdinal = options.nextOrdinal;
    this.#lastTime = options.lastTime;
    if (options.isFound === true) this.#synced = -1;
  }

  append(drafts: readonly LineDraft[]): readonly Line[] {
    if (drafts.length === 0) return [];
    this.#lastTime = Math.max(this.#lastTime, this.#options.clock.now());
    const timestamp = new Date(this.#lastTime).toISOString();
    const first = this.#meta === undefined ? [] : [{ type: lineType.sessionMeta, payload: this.#meta }];
    this.#meta = undefined;
    const written = this.mode === 'legacy' ? drafts.flatMap(legacyLines) : drafts;
    const lines = [...first, ...written].map((draft) => this.#add(timestamp, draft));
    if (this.#waiting >= mostWaiting) this.#running ??= this.#commit();
    return lines;
  }

  durable(): Promise<void> {
    if (this.#fault !== undefined) return Promise.reject(this.#fault);
    if (this.#synced === this.#appended) return Promise.resolve();
    const waiter = { upTo: this.#appended, ...Promise.withResolvers<void>() };
    this.#waiters.push(waiter);
    this.#running ??= this.#commit();
    return waiter.promise;
  }

  /** Rejects with the fault if there was one: appended lines may be lost. The lock is released in any case. */
  close(): Promise<void> {
    return (this.#closing ??= this.#shut());
  }

  async #shut(): Promise<void> {
    try {
      // Without new lines nothing needs a sync, whichever process has the lease. After a failure, lines are lost.
      if (this.#appended > 0 || this.#fault !== undefined) await this.durable();
    } finally {
      // After a failure the loop may still be undoing its writes.
      await this.#running;
      await this.#options.file.close().finally(() => this.#options.lock.release());
    }
  }

  #add(timestamp: string, draft: LineDraft): Line {
    const { type, payload, metadata } = draft;
    const ordinal = this.#nextOrdinal as Ordinal | undefined;
    const line: Line = { timestamp, ...defined({ ordinal }), type, payload, ...defined({ metadata }) };
    if (this.#nextOrdinal !== undefined) this.#nextOrdinal += 1;
    if (this.#closing !== undefined) this.#fault ??= appendedTooLate(this.location);
    if (this.#fault !== undefined) return line;
    // Encode immediately, so that later changes of the payload by the caller have no effect.
    const text = encodeLine(line);
    this.#queue.push(text);
    this.#waiting += text.length;
    this.#appended += 1;
    return line;
  }

  /** Never rejects. */
  async #commit(): Promise<void> {
    // Lets callers of the same tick share the first sync.
    await Promise.resolve();
    try {
      while (this.#waiters.length > 0 || this.#waiting >= mostWaiting) {
        // Not "until the queue is empty": with a steady stream of lines, waiting callers would wait forever.
        const upTo = this.#appended;
        if (await this.#options.lock.isLost()) throw leaseLost(this.location);
        while (this.#written < upTo) await this.#write();
        if (this.#waiters.length > 0) await this.#sync();
      }
    } catch (error) {
      await this.#fail(diskFault(error, 'save', this.location));
    } finally {
      this.#running = undefined;
    }
  }

  async #write(): Promise<void> {
    let [count, length] = [0, 0];
    for (const text of this.#queue) {
      if (count > 0 && length + text.length > mostInWrite) break;
      count += 1;
      length += text.length;
    }
    const lines = this.#queue.splice(0, count);
    this.#waiting -= length;
    await this.#options.file.append(Buffer.from(lines.join('')));
    this.#written += count;
  }

  async #sync(): Promise<void> {
    const upTo = this.#written;
    await this.#options.file.sync();
    this.#synced = upTo;
    for (const waiter of this.#waiters) if (waiter.upTo <= upTo) waiter.resolve();
    this.#waiters = this.#waiters.filter((waiter) => waiter.upTo > upTo);
  }

  async #fail(fault: Fault): Promise<void> {
    this.#fault = fault;
    this.#queue = [];
    this.#waiting = 0;
    try {
      // After another writer has taken over, the end of the file is not ours to cut.
      if (!(await this.#options.lock.isLost())) await this.#options.file.restore();
    } catch {
      // The disk already fails, and the next opening mends the tail in any case.
    }
    for (const { reject } of this.#waiters) reject(fault);
    this.#waiters = [];
  }
}

const appendedTooLate = (path: string): Fault =>
  new Fault({
    code: 'thread-closed',
    message: `Lines were appended to ${path} after it was closed, and are not saved.`,
    next: 'Reopen the thread and append to it.',
  });

type RolloutFileOptions = NamedFiles & {
  readonly path: string;
  readonly existing?: { readonly file: OpenFile; readonly size: number };
};

/** The file of a journal: created as late as possible, and synced together with its name. One call at a time. */
export class RolloutFile {
  readonly #options: RolloutFileOptions;
  #file: OpenFile | undefined;
  #size: number;
  #syncedSize: number;
  #nameIsDurable = false;

  constructor(options: RolloutFileOptions) {
    this.#options = options;
    this.#file = options.existing?.file;
    this.#size = options.existing?.size ?? 0;
    this.#syncedSize = this.#size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#file ??= await this.#make();
    this.#size += bytes.length;
    await this.#file.append(bytes);
  }

  /** The first sync also makes the name durable, in case the process that created the file died before it could. */
  async sync(): Promise<void> {
    if (this.#file === undefined) return;
    const syncs = [this.#file.sync(), requireNamed(this.#file)];
    if (!this.#nameIsDurable) syncs.push(makeNameDurable(this.#options, this.#options.path));
    await awaitAll(syncs);
    this.#nameIsDurable = true;
    this.#syncedSize = this.#size;
  }

  /** Undoes writes since the last sync, so that no partial line stays. */
  async restore(): Promise<void> {
    if (this.#file === undefined) return;
    const size = await this.#file.size();
    // A longer file contains bytes of a program that ignores the lock. They are not ours to remove.
    if (size > this.#syncedSize && size <= this.#size) await this.#file.truncate(this.#syncedSize);
  }

  /** Undoes the creation of a file that must be complete or missing. */
  async discard(): Promise<void> {
    if (this.#file === undefined) return;
    await this.close().catch(() => undefined);
    // Even if this fails, the leftover file is empty or begins with a partial line, and readers skip such a file.
    await this.#options.files.remove(this.#options.path).catch(() => undefined);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #make(): Promise<OpenFile> {
    const { files, path } = this.#options;
    await files.makeDirectory(dirname(path), 0o700);
    const file = await files.open(path, { create: true, mode: 0o600 });
    // Checked before any write: a file made in this second has the same name, and its lines must not be changed.
    if ((await file.size()) === 0) return file;
    await file.close();
    const message = `Cannot write a new thread to ${path}: the file exists and is not empty.`;
    const next = 'Open the existing thread, or create the new one with another id.';
    throw new Fault({ code: 'thread-exists', message, next });
  }
}

/** Writes to an unlinked file succeed and are lost. */
async function requireNamed(file: OpenFile): Promise<void> {
  if (await file.isNamed()) return;
  throw Object.assign(new Error('ENOENT: the file was removed while it was being written'), { code: 'ENOENT' });
}

/** `home`: absolute. Folders from there down must sync; those above are not ours and are synced where permitted. */
type NamedFiles = { readonly files: JournalDisk; readonly home: string; readonly durableFolders: Set<string> };

/** A name is durable when its folder is synced, and the folder's own name when its parent is, up to the root. */
export async function makeNameDurable({ files, home, durableFolders }: NamedFiles, path: string): Promise<void> {
  const isDurable = (folder: string): boolean => durableFolders.has(folder) || files.isOld?.(folder) === true;
  const names = [path, ...ancestors(path).filter((folder) => !isDurable(folder))];
  const folders = names.map((name) => dirname(name));
  // Folders above the home are mostly old and often unreadable for us.
  const isOurs = (folder: string): boolean => folder === home || folder.startsWith(home + sep);
  const sync = (folder: string): Promise<void> => files.syncDirectory(folder);
  await awaitAll(folders.map((folder) => (isOurs(folder) ? sync(folder) : sync(folder).catch(() => undefined))));
  for (const name of names) if (name !== path) durableFolders.add(name);
}

/** Waits for all of them, then throws the first failure. */
async function awaitAll(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function ancestors(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) found.push(at);
  return found;
}
