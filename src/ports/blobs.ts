import type { Outcome } from '../protocol/outcome.ts';

/** The name of bytes that are kept beside the rollouts: their hash and their number. */
export interface BlobRef {
  /** In lower-case hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: number;
}

/** What is too large for a rollout and was not seen by the model: named by content, kept once, within a budget. */
export interface Blobs {
  /** Keeps the bytes: always, or only if the budget is not used up. Their name is known at once. */
  keep(bytes: Uint8Array, when: 'always' | 'within-budget'): KeptBlob;
  load(sha256: string): Promise<LoadedBlob | BlobMissing>;
}

export interface KeptBlob {
  readonly ref: BlobRef;
  /** False when the budget is used up: then nothing but the name is left. */
  readonly kept: boolean;
  /** Resolves when the bytes are on the disk. Rejects with a Fault when the disk refuses. */
  readonly durable: Promise<void>;
}

export interface LoadedBlob {
  readonly kind: 'blob';
  readonly bytes: Uint8Array;
}

/** Removed, or no longer what its name says. */
export interface BlobMissing extends Outcome<'blob-missing' | 'blob-damaged'> {
  readonly kind: 'missing';
}
