import { estimateTokens, truncateMiddle } from '../../fragments/text/truncate.ts';

/** All notes in one text, oldest first. Where they are too long together, the longest are cut, all to one length. */
export function fitNotes(notes: readonly string[], mostTokens: number): string {
  for (let limit = mostTokens; limit >= leastOfNote; limit = Math.floor(limit * 0.8)) {
    const text = notes.map((note) => truncateMiddle(note, { mode: 'tokens', limit })).join('\n\n');
    if (written(text) <= mostTokens) return text;
  }
  // So many that each would say nothing: the oldest and the newest of them.
  const all = notes.join('\n\n');
  for (let limit = mostTokens; limit > 0; limit = Math.floor(limit * 0.8)) {
    const text = truncateMiddle(all, { mode: 'tokens', limit });
    if (written(text) <= mostTokens) return text;
  }
  return '';
}

const leastOfNote = 40;

/** In a request, where a line break is two characters. */
function written(text: string): number {
  return estimateTokens(JSON.stringify(text));
}
