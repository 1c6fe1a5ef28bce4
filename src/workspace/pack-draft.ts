import type { ContentStore } from './content-store.ts';
import { knownContents, type KnownWorkspace } from './known-workspace.ts';
import type { PackWriter } from './pack.ts';
import type { Hash } from './tree.ts';

export interface PackDraftInput {
  /** What it refers to is kept already. */
  readonly known: KnownWorkspace;
  readonly root: string;
  readonly name: string;
  /** For all packs of the workspace. */
  readonly maxBytes: number;
}

/** The new contents of one snapshot. As long as there are none, nothing is made. */
export class PackDraft {
  readonly #store: ContentStore;
  readonly #input: PackDraftInput;
  #kept: Set<Hash> | undefined;
  #pack: PackWriter | undefined;
  #room: number | undefined;

  constructor(store: ContentStore, input: PackDraftInput) {
    this.#store = store;
    this.#input = input;
  }

  get isEmpty(): boolean {
    return this.#pack === undefined;
  }

  hasRoom(bytes: number): boolean {
    const { maxBytes } = this.#input;
    this.#room ??= Math.min(maxBytes / 2, maxBytes - this.#store.bytes());
    return (this.#pack?.bytes ?? 0) + bytes <= this.#room;
  }

  keep(hash: Hash, bytes: Uint8Array): void {
    this.#kept ??= knownContents(this.#input.known);
    if (this.#kept.has(hash)) return;
    this.#pack ??= this.#store.startPack(this.#input.name, this.#input.root);
    this.#pack.add(hash, bytes);
    this.#kept.add(hash);
  }

  /** Rejects when the disk refuses. */
  async finish(): Promise<void> {
    await this.#pack?.finish();
  }

  discard(): void {
    this.#pack?.discard();
  }
}
