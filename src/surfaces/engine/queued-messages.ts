import { fileSystem } from '../../disk/file-system.ts';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../../disk/own-file.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { arrayAt, isJsonObject, type JsonObject, parseJsonObject } from '../../protocol/json.ts';

/** Pictures of the clipboard are among them as text. */
const mostBytes = 64 * 1024 * 1024;

/** Messages of a terminal that wait for turns of their own, one file per thread: they outlive a process that is killed. */
export class QueuedMessages {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = `${home}/capstan/queued`;
  }

  /** Those that were saved last. None where the file is missing, torn or of another user. */
  load(id: ThreadId): readonly JsonObject[] {
    const path = this.#path(id);
    const read = path === undefined ? undefined : readOwnFile(path, { maxBytes: mostBytes, toOthers: 'closed' });
    const messages = read && arrayAt(parseJsonObject(read.bytes.toString()), 'messages');
    return (messages ?? []).filter(isJsonObject);
  }

  /** In the place of those before. Throws where the disk refuses. */
  save(id: ThreadId, messages: readonly JsonObject[]): void {
    const path = this.#path(id);
    if (path === undefined) return;
    if (messages.length === 0) return fileSystem.rmSync(path, { force: true });
    const text = JSON.stringify({ messages });
    if (Buffer.byteLength(text) > mostBytes) throw new Error('They are larger than 64 MB.');
    if (!makeOwnFolder(this.#folder, 'closed')) throw new Error(`${this.#folder} is no folder that only you can open.`);
    writeOwnFile(path, `${path}.${process.pid}`, text);
  }

  /** A name of a thread may come from a file. */
  #path(id: ThreadId): string | undefined {
    return /^[\w-]{1,100}$/.test(id) ? `${this.#folder}/${id}.json` : undefined;
  }
}
