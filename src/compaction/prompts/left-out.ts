import { firstBytes } from '../../fragments/truncate.ts';

/** What stands in a request for a checkpoint in the place of something that does not fit it. */
export function leftOut(tokens: number): string {
  return `[About ${tokens} tokens stood here. They were too much for this request and were left out.]`;
}

/** The same for words, of which the beginning is shown: it mostly says what the rest is. */
export function leftOutAfter(text: string, tokens: number): string {
  const beginning = firstBytes(text, beginningBytes);
  return beginning === '' ? leftOut(tokens) : `${beginning}…\n${leftOut(tokens)}`;
}

const beginningBytes = 300;
