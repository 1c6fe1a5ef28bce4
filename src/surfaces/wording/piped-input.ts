/** A prompt with what came on standard input, as the model gets both. */
export function withPipedInput(prompt: string, piped: string): string {
  return `${prompt}\n\n<stdin>\n${piped}${piped.endsWith('\n') ? '' : '\n'}</stdin>`;
}

/** The same for people, who need no tags. */
export function shownPipedInput(text: string): string {
  const end = '\n</stdin>';
  const start = text.indexOf('\n\n<stdin>\n');
  if (start < 0 || !text.endsWith(end)) return text;
  return `${text.slice(0, start)}\n\n[Standard input]\n${text.slice(start + '\n\n<stdin>\n'.length, -end.length)}`;
}

/** The same where the beginning of such a text stands in one line. Without the end tag or a cut it is not such a text. */
export function shownPreview(preview: string): string {
  if (!preview.endsWith(' </stdin>') && !preview.endsWith('…')) return preview;
  return preview.replace(' <stdin> ', ' [Standard input] ').replace(/ <\/stdin>$/, '');
}
