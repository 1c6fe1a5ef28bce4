import type { Seals } from '../../ports/seals.ts';
import { keyedDigest } from '../../protocol/keyed-digest.ts';
import { Fault } from '../../protocol/outcome.ts';

const sealBytes = 16;
const longestKnown = 64 * 1024;

/** How long the key of a home is, and how long any other must be. */
export const keyBytes = 32;

/**
 * Seals with a key that a program keeps: engines that share a store and have the same key prove each other's lines. At
 * least 32 random bytes; a shorter key is refused with a Fault.
 */
export function sealsWithKey(key: Uint8Array): Seals {
  if (key.length < keyBytes) {
    throw new Fault({
      code: 'seal-key-too-short',
      message: `The key of the seals has ${key.length} bytes; it must have ${keyBytes} or more.`,
      next: 'Make it from random bytes once, and give it to every engine of the store.',
    });
  }
  const seal = sealer(Uint8Array.from(key));
  return { seal, holds: (claim, made) => seal(claim) === made, problem: () => undefined };
}

/** What makes seals with a key. */
export function sealer(key: Uint8Array): (claim: string) => string {
  /** The same claim is sealed turn after turn. */
  const known = new Map<string, string>();
  return (claim) => {
    const made = known.get(claim);
    if (made !== undefined) return made;
    if (known.size >= 16) known.clear();
    const seal = Buffer.from(keyedDigest(key, claim).subarray(0, sealBytes)).toString('base64url');
    // A message with pictures may be large, and is sealed once.
    if (claim.length <= longestKnown) known.set(claim, seal);
    return seal;
  };
}
