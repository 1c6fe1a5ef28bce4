import { nearestConfigKey } from '../../../core/config/keys/check-values.ts';

/** Shorter beginnings match by chance. */
const shortestBeginning = 2;

/** The known word that was probably meant: nearly the same spelling, or the only one with the same beginning. */
export function nearestWord(written: string, known: readonly string[]): string | undefined {
  const nearest = nearestConfigKey(written, known);
  if (nearest !== undefined || written.replace(/^-+/, '').length < shortestBeginning) return nearest;
  const longer = known.filter((word) => word.startsWith(written));
  return longer.length === 1 ? longer[0] : undefined;
}

/** Precedes the pointer to the help text; empty when no known word is close. */
export function didYouMean(written: string, known: readonly string[]): string {
  const nearest = nearestWord(written, known);
  return nearest === undefined ? '' : `Did you mean ${nearest}? `;
}
