/** The beginning of a file, at least as far as its budget reaches. */
export interface InstructionText {
  readonly path: string;
  readonly bytes: Buffer;
  /** Of the whole file. */
  readonly size: number;
}

const replacement = '\uFFFD';

export function isBlank({ bytes, size }: InstructionText): boolean {
  return bytes.length === size && bytes.toString('utf8').trim() === '';
}

/** Why these bytes cannot be told to a model, for a sentence. A few that are no UTF-8 do no harm. */
export function whyNotText(bytes: Buffer): string | undefined {
  const mark = bytes.toString('hex', 0, 2);
  if (mark === 'fffe' || mark === 'feff') return 'they are in UTF-16';
  if (bytes.includes(0)) return 'they are binary';
  // Each replaced byte grows to three, so with more of them the text would also outgrow its limit. One does not count:
  // it may be a character that is split where the beginning ends.
  const isMostlyBroken = (decode(bytes).replaced - 1) * 10 > bytes.length;
  return isMostlyBroken ? 'they are in another encoding than UTF-8' : undefined;
}

/** The bytes as text, and how often something that is no UTF-8 was replaced in it. */
export function decode(bytes: Buffer): { readonly text: string; readonly replaced: number } {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (!text.includes(replacement)) return { text, replaced: 0 };
  const written = occurrences(bytes.toString('latin1'), Buffer.from(replacement).toString('latin1'));
  return { text, replaced: occurrences(text, replacement) - written };
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}
