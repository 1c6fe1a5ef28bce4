/** The text between the tags of a message. */
export function between(tag: string, text: string): string {
  const [start, end] = [`<${tag}>\n`, `\n</${tag}>`];
  if (!text.startsWith(start) || !text.endsWith(end)) throw new Error(`a text that does not end as it began: ${text}`);
  return withEnds(tag, text.slice(start.length, -end.length));
}

/** Prose that holds the end of its own message has it escaped. */
export function withEnds(tag: string, body: string): string {
  return body.replaceAll(new RegExp(`&lt;(?=\\s*/\\s*${tag}\\s*>)`, 'gi'), '<');
}
