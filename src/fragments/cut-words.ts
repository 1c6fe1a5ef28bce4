import { cutToFit } from './truncate.ts';

/** Names of items from other programs may be of any length. */
const mostOfName = 80;

/** A message of the user that does not fit whole: its head and tail, and between them what is missing and where it is. */
export function cutWords(text: string, { id, tokens }: { readonly id: string; readonly tokens: number }): string {
  return cutToFit(text, tokens, (missing) => `\n[… about ${missing} tokens cut here; ${whereWhole(id)} …]\n`);
}

/** Stands for a message of the user that was nothing but pictures, which did not fit. */
export function picturesLeftOut(id: string): string {
  return `[Pictures of the user stood here; ${whereWhole(id)}]`;
}

function whereWhole(id: string): string {
  const name = id.length > mostOfName ? `${id.slice(0, mostOfName)}…` : id;
  return `all of item ${name}: \`capstan threads show\``;
}

/** A text of the model or of a tool that does not fit whole. */
export function cutText(text: string, tokens: number): string {
  return cutToFit(text, tokens, (missing) => `\n[… about ${missing} tokens cut here …]\n`);
}
