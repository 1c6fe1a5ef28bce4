import { withoutLineBreaks } from '../../fragments/text/markup.ts';
import { firstBytes } from '../../fragments/text/truncate.ts';

/** As much of a message as it takes to distinguish it from others. */
const beginningBytes = 40;

/** Stands in a model's text where it repeats a message of the user that the checkpoint holds word for word. */
export function repeatedWords(said: string): string {
  return `[the user's words, which stand above: ${firstBytes(withoutLineBreaks(said), beginningBytes).trimEnd()}…]`;
}
