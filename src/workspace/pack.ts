import { fileSystem as fs } from '../disk/file-system.ts';
import type { Hash } from './tree.ts';

/** Where a content stands. */
export interface PackedContent {
  readonly pack: string;
  readonly offset: number;
  readonly length: number;
}

/** Contents are gathered up to this size before they are written. */
const gatheredBytes = 1024 * 1024;

/**
 * Many contents in one file: thousands of small files would cost five times as much, and a sync each. The index is
 * written last, under its final name only when it is whole: a pack without one does not count.
 */
export class PackWriter {
  readonly path: string;
  readonly #index: string[] = [];
  readonly #file: number;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #bytes = 0;
  #isOpen = true;

  /** Makes the file. `path` is without an ending. */
  constructor(path: string) {
    this.path = path;
    this.#file = fs.openSync(`${path}.pack`, 'wx', 0o600);
  }

  add(hash: Hash, content: Uint8Array): void {
    this.#index.push(`${hash} ${this.#bytes} ${content.length}\n`);
    this.#gathered.push(content);
    this.#bytes += content.length;
    this.#gatheredBytes += content.length;
    if (this.#gatheredBytes >= gatheredBytes || this.#gathered.length >= 512) this.#write();
  }

  /** The pack counts when this resolves, also after a power cut. */
  async finish(): Promise<void> {
    this.#write();
    await synced(this.#file);
    this.#close();
    const [half, whole] = [`${this.path}.index.half`, `${this.path}.index`];
    const file = fs.openSync(half, 'wx', 0o600);
    try {
      fs.writeFileSync(file, this.#index.join(''));
      await synced(file);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(half, whole);
    // The names too, or what was learnt from the contents could outlive them.
    const folder = fs.openSync(this.path.slice(0, this.path.lastIndexOf('/')), 'r');
    await synced(folder).finally(() => fs.closeSync(folder));
  }

  /** Leaves nothing behind. */
  discard(): void {
    this.#close();
    removePack(this.path);
    fs.rmSync(`${this.path}.index.half`, { force: true });
  }

  /** Once: the system soon gives the number to another file. */
  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    fs.closeSync(this.#file);
  }

  #write(): void {
    const all = Buffer.concat(this.#gathered);
    for (let written = 0; written < all.length;) written += fs.writeSync(this.#file, all, written);
    this.#gathered = [];
    this.#gatheredBytes = 0;
  }
}

function synced(file: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fsync(file, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** The index first: what is half removed does not count. */
export function removePack(path: string): void {
  fs.rmSync(`${path}.index`, { force: true });
  fs.rmSync(`${path}.pack`, { force: true });
}

/** The contents of a pack. None when its index cannot be read. */
export function readPackIndex(path: string): ReadonlyMap<Hash, PackedContent> {
  const contents = new Map<Hash, PackedContent>();
  for (const line of (textOf(`${path}.index`) ?? '').split('\n')) {
    const [hash = '', offset, length] = line.split(' ');
    if (length !== undefined) contents.set(hash, { pack: path, offset: Number(offset), length: Number(length) });
  }
  return contents;
}

/** Undefined when the file cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

export function readPacked({ pack, offset, length }: PackedContent): Uint8Array {
  const file = fs.openSync(`${pack}.pack`, 'r');
  try {
    const content = Buffer.alloc(length);
    const filled = fs.readSync(file, content, 0, length, offset);
    return content.subarray(0, filled);
  } finally {
    fs.closeSync(file);
  }
}
