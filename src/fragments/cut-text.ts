import { cutToFit } from './truncate.ts';

/** A text that does not fit whole: its head and tail, and between them how much is missing. */
export function cutText(text: string, tokens: number): string {
  return cutToFit(text, tokens, (missing) => `\n[… about ${missing} tokens cut here …]\n`);
}
