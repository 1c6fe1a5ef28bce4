import { dirname } from 'node:path';
import type { OpenFile } from '../../ports/files.ts';
import { Fault } from '../../protocol/outcome.ts';
import { allEnded, makeNameSafe, type SafeNames } from './safe-name.ts';

export interface RolloutFileOptions extends SafeNames {
  readonly path: string;
  /** Absent for a file that is made by the first append. */
  readonly existing?: { readonly file: OpenFile; readonly size: number };
}

/** The file under a journal: made as late as possible, and safe together with its name. One call at a time. */
export class RolloutFile {
  readonly #options: RolloutFileOptions;
  #file: OpenFile | undefined;
  /** The file's length if every write so far was whole. */
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

  /** One sync; the first one also makes the name safe, in case the process that created the file died before it could. */
  async sync(): Promise<void> {
    if (this.#file === undefined) return;
    const syncs = [this.#file.sync(), this.#checkName(this.#file)];
    if (!this.#nameIsDurable) syncs.push(makeNameSafe(this.#options, this.#options.path));
    await allEnded(syncs);
    this.#nameIsDurable = true;
    this.#syncedSize = this.#size;
  }

  /** Takes back what was written since the last sync, so that no half line stays. */
  async restore(): Promise<void> {
    if (this.#file === undefined) return;
    const size = await this.#file.size();
    // A longer file holds bytes of a program that ignores the lock. They are not ours to remove.
    if (size > this.#syncedSize && size <= this.#size) await this.#file.truncate(this.#syncedSize);
  }

  /** Takes back a file that was to be made whole or not at all. */
  async discard(): Promise<void> {
    if (this.#file === undefined) return;
    await this.close().catch(() => undefined);
    // What stays is empty or begins with half a line, and such a file hides no other.
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
    // Checked here, before anything is written or taken back: two creations in one second share a name.
    if ((await file.size()) === 0) return file;
    await file.close();
    throw new Fault({
      code: 'thread-exists',
      message: `Cannot write a new thread to ${path}: the file exists and is not empty.`,
      next: 'Open the existing thread, or create the new one with another id.',
    });
  }

  /** A file without a name takes bytes gladly and keeps none of them. */
  async #checkName(file: OpenFile): Promise<void> {
    if (await file.isNamed()) return;
    const message = `ENOENT: the file was removed while it was being written`;
    throw Object.assign(new Error(message), { code: 'ENOENT' });
  }
}
