import type { ContentsDraft, WorkspaceContents } from '../ports/snapshot-contents.ts';
import { knownContents, type KnownWorkspace } from './known-workspace.ts';
import type { Hash } from './tree.ts';

export interface NewContentsInput {
  /** What it refers to is kept already. */
  readonly known: KnownWorkspace;
  /** For all contents of the workspace. */
  readonly maxBytes: number;
}

/** The new contents of one snapshot. As long as there are none, nothing is made. */
export class NewContents {
  readonly #contents: WorkspaceContents;
  readonly #input: NewContentsInput;
  #kept: Set<Hash> | undefined;
  #draft: ContentsDraft | undefined;
  #bytes = 0;
  #space: number | undefined;

  constructor(contents: WorkspaceContents, input: NewContentsInput) {
    this.#contents = contents;
    this.#input = input;
  }

  get isEmpty(): boolean {
    return this.#draft === undefined;
  }

  async hasSpace(bytes: number): Promise<boolean> {
    const { maxBytes } = this.#input;
    this.#space ??= Math.min(maxBytes / 2, maxBytes - (await this.#contents.bytes()));
    return this.#bytes + bytes <= this.#space;
  }

  keep(hash: Hash, bytes: Uint8Array): void {
    this.#kept ??= knownContents(this.#input.known);
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
