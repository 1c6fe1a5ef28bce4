import type { ContentsDraft, WorkspaceContents } from '../ports/snapshot-contents.ts';
import { knownContents, type KnownWorkspace } from './known-workspace.ts';
import type { Hash } from './tree.ts';

/** The new contents of one snapshot. As long as there are none, nothing is made. */
export class NewContents {
  readonly #contents: WorkspaceContents;
  readonly #known: KnownWorkspace;
  readonly #maxBytes: number;
  #kept: Set<Hash> | undefined;
  #draft: ContentsDraft | undefined;
  #bytes = 0;
  #space: number | undefined;

  /** What is known is kept already. `maxBytes` is for all contents of the workspace. */
  constructor(contents: WorkspaceContents, known: KnownWorkspace, maxBytes: number) {
    this.#contents = contents;
    this.#known = known;
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#draft === undefined;
  }

  async hasSpace(bytes: number): Promise<boolean> {
    this.#space ??= Math.min(this.#maxBytes / 2, this.#maxBytes - (await this.#contents.bytes()));
    return this.#bytes + bytes <= this.#space;
  }

  keep(hash: Hash, bytes: Uint8Array): void {
    this.#kept ??= knownContents(this.#known);
    if (this.#kept.has(hash)) return;
    this.#draft ??= this.#contents.begin();
    this.#draft.add(hash, bytes);
    this.#bytes += bytes.length;
    this.#kept.add(hash);
  }

  /** Rejects when the store refuses. */
  async finish(): Promise<void> {
    await this.#draft?.finish();
  }

  async discard(): Promise<void> {
    await this.#draft?.discard();
  }
}
