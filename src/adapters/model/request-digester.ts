import { type Hash, createHash } from 'node:crypto';
import type { RequestDigester } from '../../ports/model.ts';

type Begun = { readonly pieces: readonly Uint8Array[]; readonly hash: Hash };
/** The last pieces change each time: the newest items, which share a piece, and what follows the input. */
const movingPieces = 2;

export function createDigester(): RequestDigester {
  let begun: Begun | undefined;
  return {
    body(pieces) {
      const known = begun !== undefined && beginsWith(pieces, begun.pieces) ? begun : undefined;
      const hash = known?.hash ?? sha256();
      const kept = Math.max(known?.pieces.length ?? 0, pieces.length - movingPieces);
      for (const piece of pieces.slice(known?.pieces.length ?? 0, kept)) hash.update(piece);
      begun = { pieces: pieces.slice(0, kept), hash };
      const whole = hash.copy();
      for (const piece of pieces.slice(kept)) whole.update(piece);
      return whole.digest('hex');
    },
    short: (bytes) => sha256().update(bytes).digest('hex').slice(0, 8),
  };
}

/** Pieces are immutable once given out, so identity means equal bytes. */
const beginsWith = (pieces: readonly Uint8Array[], beginning: readonly Uint8Array[]): boolean =>
  beginning.length <= pieces.length &&
  beginning.every((piece, index) => Object.is(piece, pieces[index]) || Buffer.compare(piece, pieces[index]!) === 0);

const sha256 = (): Hash => createHash('sha256');
