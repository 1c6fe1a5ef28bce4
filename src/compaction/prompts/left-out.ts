import { firstBytes } from '../../fragments/text/truncate.ts';

/** What stands in a request for a checkpoint in the place of something that does not fit it. */
export function leftOut(characters: number): string {
  return `[${characters} characters stood here. They were too much for this request and were left out.]`;
}

/** The same for words, of which the beginning is shown: it mostly says what the rest is. */
export function leftOutAfter(text: string, characters: number): string {
  const beginning = firstBytes(text, beginningBytes);
  return beginning === '' ? leftOut(characters) : `${beginning}…\n${leftOut(characters)}`;
}

const beginningBytes = 300;
