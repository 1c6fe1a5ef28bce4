import type { InstructionDocument } from '../envelope/facts.ts';
import type { InstructionProblem } from './find-instruction-files.ts';

/** The beginning of a file, at least as far as its budget reaches. */
export interface InstructionText {
  readonly path: string;
  readonly bytes: Buffer;
  /** Of the whole file. */
  readonly size: number;
}

export interface ComposedInstructions {
  readonly document: InstructionDocument;
  readonly problems: readonly InstructionProblem[];
}

/** The personal file is outside the configured budget. This is its own: nothing enters history without a cap. */
export const personalMaxBytes = 32_768;

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
}): ComposedInstructions {
  const personal = joined(input.personal === undefined ? [] : [input.personal], personalMaxBytes);
  const project = joined(input.project, input.maxBytes);
  const problems = [
    ...cutProblem(personal, 'Shorten the file.'),
    ...cutProblem(project, 'Shorten the files, or raise project_doc_max_bytes.'),
  ];
  const texts = [personal.text.trim(), project.text].filter((text) => text !== '');
  if (texts.length === 0) return { document: {}, problems };
  const document = { text: texts.join(separator), ...(project.text === '' ? {} : { directory: input.cwd }) };
  return { document, problems };
}

/** What the model reads in place of what was left out. */
interface Joined {
  readonly text: string;
  /** What did not fit, for a sentence. Absent when everything did. */
  readonly leftOut?: string;
}

function joined(files: readonly InstructionText[], maxBytes: number): Joined {
  const texts: string[] = [];
  const cuts: string[] = [];
  let left = maxBytes;
  for (const { path, bytes, size } of files) {
    // A blank file costs nothing, and is not missed when it does not fit.
    if (bytes.length === size && bytes.toString('utf8').trim() === '') continue;
    const taken = size <= left ? size : characterStart(bytes, left);
    if (taken > 0) texts.push(bytes.toString('utf8', 0, taken).replace(/^\uFEFF/, ''));
    left -= taken;
    if (taken < size) {
      cuts.push(`${taken === 0 ? 'all ' : ''}${size - taken} bytes of ${path}`);
      // Later files must not slip into what the cut at a character has left.
      left = 0;
    }
  }
  if (cuts.length === 0) return { text: texts.join('\n\n') };
  const leftOut = `${cuts.slice(0, 3).join(', ')}${cuts.length > 3 ? ` and of ${cuts.length - 3} more files` : ''}`;
  const notice = `[Cut here to ${maxBytes} bytes. Left out: ${leftOut}. Read the files for the rest.]`;
  return { text: [...texts, notice].join('\n\n'), leftOut };
}

function cutProblem({ leftOut }: Joined, next: string): readonly InstructionProblem[] {
  if (leftOut === undefined) return [];
  return [{ code: 'instructions-cut', message: `Instructions are too long; left out: ${leftOut}`, next }];
}

/** The last position up to the limit at which no character is split. */
function characterStart(bytes: Uint8Array, limit: number): number {
  for (let at = limit; at > limit - 4 && at >= 0; at--) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  }
  // Four bytes in a row that begin no character are no text in UTF-8, and nothing can be split.
  return limit;
}
