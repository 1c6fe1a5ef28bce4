import { nearestKey } from '../../../core/config/keys/check-values.ts';

/** Shorter beginnings fit by chance. */
const shortestBeginning = 2;

/** The known word that was probably meant: one that is spelt much the same, or the only one that begins like it. */
export function nearestWord(written: string, known: readonly string[]): string | undefined {
  const nearest = nearestKey(written, known);
  if (nearest !== undefined || written.replace(/^-+/, '').length < shortestBeginning) return nearest;
  const longer = known.filter((word) => word.startsWith(written));
  return longer.length === 1 ? longer[0] : undefined;
}

/** Goes before the pointer to the help text; empty when no known word comes close. */
export function didYouMean(written: string, known: readonly string[]): string {
  const nearest = nearestWord(written, known);
  return nearest === undefined ? '' : `Did you mean ${nearest}? `;
}
