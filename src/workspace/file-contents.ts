import { join } from 'node:path';
import { fileSystem as fs } from '../disk/file-system.ts';
import { namesIn } from '../disk/folders.ts';
import { writeOwnFile } from '../disk/own-file.ts';
import type { Ids } from '../ports/ids.ts';
import type { ContentsDraft, SnapshotContents } from '../ports/snapshot-contents.ts';
import { type PackedContent, PackWriter, readPacked, readPackIndex, removePack, textOf } from './pack.ts';
import { decodeTree, type Hash, hashOf, type Tree } from './tree.ts';

export function snapshotsFolder(home: string): string {
  return join(home, 'capstan', 'snapshots');
}

/** Where the contents of a workspace are kept. `root` is without links. */
export function storeOf(home: string, root: string): ContentStore {
  const key = hashOf(new TextEncoder().encode(root)).slice(0, 16);
  return new ContentStore(join(snapshotsFolder(home), key));
}

/** The contents of each workspace as packs under the home. */
export function createFileContents({ home, ids }: { readonly home: string; readonly ids: Ids }): SnapshotContents {
  return {
    async of(root) {
      const store = storeOf(home, root);
      return {
        load: async (hash) => store.load(hash),
        has: async (hash) => store.has(hash),
        bytes: async () => store.bytes(),
        begin: () => packDraft(() => store.startPack(ids.uuid(), root)),
        loadNote: async () => store.loadNote(),
        hasNote: async () => store.hasNote,
        saveNote: async (note) => store.saveNote(note),
      };
    },
  };
}

function packDraft(start: () => PackWriter): ContentsDraft {
  let pack: PackWriter | undefined;
  return {
    add: (hash, content) => (pack ??= start()).add(hash, content),
    finish: async () => pack?.finish(),
    discard: async () => pack?.discard(),
  };
}

/** The kept contents of one workspace: packs, and a note of what its last snapshot saw. */
export class ContentStore {
  readonly folder: string;
  readonly #notePath: string;
  #contents: Map<Hash, PackedContent> | undefined;

  constructor(folder: string) {
    this.folder = folder;
    this.#notePath = `${folder}/known.json`;
  }

  loadNote(): string | undefined {
    return textOf(this.#notePath);
  }

  /** Without it, the contents that it names may be gone too. */
  get hasNote(): boolean {
    return fs.existsSync(this.#notePath);
  }

  saveNote(note: string): void {
    writeOwnFile(this.#notePath, `${this.#notePath}.${process.pid}`, note);
  }

  /** Begins a pack. `root` is written beside it once, for people who look around. */
  startPack(name: string, root: string): PackWriter {
    fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const rootFile = `${this.folder}/root`;
    if (!fs.existsSync(rootFile)) fs.writeFileSync(rootFile, `${root}\n`, { mode: 0o600, flag: 'wx' });
    this.#contents = undefined;
    return new PackWriter(`${this.folder}/${name}`);
  }

  /** How much space the packs take. */
  bytes(): number {
    const sizes = this.packs().map((pack) => fs.statSync(`${pack}.pack`, { throwIfNoEntry: false })?.size ?? 0);
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Paths of all packs, finished or not, without their ending. */
  packs(): readonly string[] {
    const names = namesIn(this.folder).filter((name) => name.endsWith('.pack'));
    return names.map((name) => `${this.folder}/${name.slice(0, -'.pack'.length)}`);
  }

  has(hash: Hash): boolean {
    return this.#find(hash) !== undefined;
  }

  /** Undefined when it is not there, or damaged. */
  load(hash: Hash): Uint8Array | undefined {
    const found = this.#find(hash);
    try {
      const content = found && readPacked(found);
      return content && hashOf(content) === hash ? content : undefined;
    } catch {
      return undefined;
    }
  }

  /** Empty when it is gone. */
  readTree(hash: Hash): Tree {
    const content = this.load(hash);
    return content === undefined ? [] : decodeTree(content);
  }

  forgetPack(pack: string): void {
    removePack(pack);
    this.#contents = undefined;
  }

  #find(hash: Hash): PackedContent | undefined {
    this.#contents ??= new Map(this.packs().flatMap((pack) => [...readPackIndex(pack)]));
    return this.#contents.get(hash);
  }
}
