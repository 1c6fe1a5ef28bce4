import { writeOwnFile } from '../disk/own-file.ts';
import { ContentGone } from './load-content.ts';
import { type PackedContent, PackWriter, readPacked, readPackIndex, removePack } from './pack.ts';
import { decodeTree, type Hash, hashOf, type Tree } from './tree.ts';

const fs = process.getBuiltinModule('node:fs');

/** The kept contents of one workspace: packs, and a note of what its last snapshot saw. */
export class ContentStore {
  readonly folder: string;
  #contents: Map<Hash, PackedContent> | undefined;

  constructor(folder: string) {
    this.folder = folder;
  }

  loadNote(): string | undefined {
    try {
      return fs.readFileSync(this.#notePath, 'utf8');
    } catch {
      return undefined;
    }
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
    return this.packs().reduce(
      (sum, pack) => sum + (fs.statSync(`${pack}.pack`, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  /** Paths of all packs, finished or not, without their ending. */
  packs(): readonly string[] {
    try {
      const names = fs.readdirSync(this.folder).filter((name) => name.endsWith('.pack'));
      return names.map((name) => `${this.folder}/${name.slice(0, -'.pack'.length)}`);
    } catch {
      return [];
    }
  }

  has(hash: Hash): boolean {
    return this.#find(hash) !== undefined;
  }

  /** Throws `ContentGone` when it is not there, or damaged. */
  read(hash: Hash): Uint8Array {
    const found = this.#find(hash);
    const content = found === undefined ? undefined : readIfPossible(found);
    if (content === undefined || hashOf(content) !== hash) throw new ContentGone(hash);
    return content;
  }

  readTree(hash: Hash): Tree {
    return decodeTree(this.read(hash));
  }

  forgetPack(pack: string): void {
    removePack(pack);
    this.#contents = undefined;
  }

  #find(hash: Hash): PackedContent | undefined {
    this.#contents ??= new Map(this.packs().flatMap((pack) => [...readPackIndex(pack)]));
    return this.#contents.get(hash);
  }

  get #notePath(): string {
    return `${this.folder}/known.json`;
  }
}

function readIfPossible(found: PackedContent): Uint8Array | undefined {
  try {
    return readPacked(found);
  } catch {
    return undefined;
  }
}
