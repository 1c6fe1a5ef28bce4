import { editDistance } from '../protocol/edit-distance.ts';

/** The candidate that the written key is most likely a misspelling of, or undefined when none comes close. */
export function nearestKey(written: string, candidates: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(written.length / 3));
  let best: { readonly key: string; readonly distance: number } | undefined;
  for (const key of candidates) {
    if (Math.abs(key.length - written.length) > allowed) continue;
    const distance = editDistance(written.toLowerCase(), key);
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { key, distance };
  }
  return best?.key;
}
