import { contextBudget } from '../../envelope/context-shares.ts';
import type { InstructionDocument } from '../../envelope/facts.ts';
import { bytesPerToken } from '../../fragments/text/truncate.ts';
import { cutShort, damaged, type InstructionProblem, onOneLine } from './instruction-problems.ts';

export interface LoadedInstructions {
  readonly document: InstructionDocument;
  /** The same ones again with every load, as long as they last: who shows them must not repeat itself. */
  readonly problems: readonly InstructionProblem[];
}

/** The most that all files together may have in a window of so many tokens, whatever is configured. The fragment has space for this and for notices. */
export function documentBytes(effectiveWindow: number): number {
  return contextBudget('agentsMd', effectiveWindow) * bytesPerToken;
}

/** The personal file is outside the configured budget, and has half of what all may have. */
export function personalBytes(mostBytes: number): number {
  return Math.floor(mostBytes / 2);
}

const separator = '\n\n--- project-doc ---\n\n';

/**
 * One text of all files: the personal one, then those of the project from its root down, until the budget is spent. What
 * did not fit is named in a last line, for the model, and in a problem, for the user.
 */
export function composeInstructions(input: {
  readonly personal?: InstructionText;
  readonly project: readonly InstructionText[];
  readonly cwd: string;
  readonly maxBytes: number;
  /** For all of them, the personal one included. */
  readonly mostBytes: number;
}): LoadedInstructions {
  const ofPersonal = personalBytes(input.mostBytes);
  const personal = join(input.personal === undefined ? [] : [input.personal], ofPersonal, 'Shorten the file.');
  const space = input.mostBytes - personal.bytes;
  const next = space < input.maxBytes ? 'Shorten the files.' : 'Shorten the files, or raise project_doc_max_bytes.';
  const project = join(input.project, Math.min(input.maxBytes, space), next);

  const problems = [...personal.problems, ...project.problems];
  const texts = [personal.text.trim(), project.text].filter((text) => text !== '');
  if (texts.length === 0) return { document: {}, problems };
  const document = { text: texts.join(separator), ...(project.text === '' ? {} : { directory: input.cwd }) };
  return { document, problems };
}

/** `bytes`: what was taken of the files. */
function join(files: readonly InstructionText[], maxBytes: number, next: string) {
  const texts: string[] = [];
  const cuts: string[] = [];
  const problems: InstructionProblem[] = [];
  let bytes = 0;
  for (const file of files) {
    // A blank file costs nothing, and is not missed when it does not fit.
    if (isBlank(file)) continue;
    // Later files must not slip into what an earlier cut has left.
    const taken = cuts.length > 0 ? 0 : beginning(file, maxBytes - bytes);
    const { text, replaced } = decode(file.bytes.subarray(0, taken));
    if (taken > 0) texts.push(text);
    if (replaced > 0) problems.push(damaged(file.path, replaced));
    bytes += taken;
    if (taken < file.size) {
      cuts.push(`${taken === 0 ? 'all ' : ''}${file.size - taken} bytes of ${onOneLine(file.path)}`);
    }
  }
  if (cuts.length === 0) return { text: texts.join('\n\n'), bytes, problems };
  const leftOut = `${cuts.slice(0, 3).join(', ')}${cuts.length > 3 ? ` and of ${cuts.length - 3} more files` : ''}`;
  const notice = `[Cut here to ${maxBytes} bytes. Left out: ${leftOut}. Read the files for the rest.]`;
  return { text: [...texts, notice].join('\n\n'), bytes, problems: [...problems, cutShort(leftOut, next)] };
}

/** Half a sentence may say the opposite of the whole, so a cut goes back to the end of a line that is this near. */
const lineSearchBytes = 500;

/** How many bytes of a file are taken: all, or up to the end of a line, or at least up to the end of a character. */
function beginning({ bytes, size }: InstructionText, limit: number): number {
  if (size <= limit) return size;
  const at = characterStart(bytes, limit);
  if (at === 0 || bytes[at] === lineFeed) return at;
  const lineEnd = bytes.lastIndexOf(lineFeed, at - 1) + 1;
  return lineEnd > 0 && lineEnd >= at - lineSearchBytes ? lineEnd : at;
}

const lineFeed = 0x0a;

/** The last position up to the limit at which no character is split. */
function characterStart(bytes: Uint8Array, limit: number): number {
  for (let at = limit; at > limit - 4 && at >= 0; at--) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  }
  // Four bytes in a row that begin no character are no text in UTF-8, and nothing can be split.
  return limit;
}

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

/** Why these bytes cannot be sent to a model, for a sentence. A few that are not UTF-8 do no harm. */
export function whyNotText(bytes: Buffer): string | undefined {
  const mark = bytes.toString('hex', 0, 2);
  if (mark === 'fffe' || mark === 'feff') return 'they are in UTF-16';
  if (bytes.includes(0)) return 'they are binary';
  // Each replaced byte grows to three, so with more of them the text would also outgrow its limit. One does not count:
  // it may be a character that is split where the beginning ends.
  const isMostlyBroken = (decode(bytes).replaced - 1) * 10 > bytes.length;
  return isMostlyBroken ? 'they are not in UTF-8' : undefined;
}

/** The bytes as text, and how often something that is no UTF-8 was replaced in it. */
function decode(bytes: Buffer): { readonly text: string; readonly replaced: number } {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (!text.includes(replacement)) return { text, replaced: 0 };
  const written = occurrences(bytes.toString('latin1'), Buffer.from(replacement).toString('latin1'));
  return { text, replaced: occurrences(text, replacement) - written };
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}
