import { cutToFit } from './truncate.ts';

/** A message of the user that does not fit whole: its head and tail, and between them what is missing and how to read it. */
export function cutWords(
  text: string,
  { readAll, tokens }: { readonly readAll: string; readonly tokens: number },
): string {
  return cutToFit(text, tokens, (missing) => `\n[… about ${missing} tokens cut here; to read all: ${readAll} …]\n`);
}

/** A text of the model or of a tool that does not fit whole. */
export function cutText(text: string, tokens: number): string {
  return cutToFit(text, tokens, (missing) => `\n[… about ${missing} tokens cut here …]\n`);
}
