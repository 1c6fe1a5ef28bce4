import type { Clock } from '../ports/clock.ts';
import {
  type ComposedInstructions,
  composeInstructions,
  type InstructionText,
  personalMaxBytes,
} from './compose-instructions.ts';
import { fileSystem, isMissing } from './file-system.ts';
import {
  findInstructionFiles,
  type FoundInstructions,
  type InstructionPlaces,
  type InstructionProblem,
  unreadable,
} from './find-instruction-files.ts';

/** The text of all AGENTS.md files that apply. Whatever is wrong with a file is a problem, never an error. */
export async function loadInstructionDocument(places: InstructionPlaces): Promise<ComposedInstructions> {
  return read(places, findInstructionFiles(places));
}

/** A time stamp younger than this may be shared by a change that is still to come. */
const settledAfterMs = 2_000;

/**
 * The same, for whoever asks before every model request: an edit is noticed by the next call. As long as no file changes,
 * only their names are looked at and the answer is the one from before.
 */
export class InstructionFiles {
  readonly #places: InstructionPlaces;
  readonly #clock: Clock;
  #last: { readonly versions: string; readonly loaded: ComposedInstructions } | undefined;

  constructor({ clock, ...places }: InstructionPlaces & { readonly clock: Clock }) {
    this.#places = places;
    this.#clock = clock;
  }

  async load(): Promise<ComposedInstructions> {
    const found = findInstructionFiles(this.#places);
    const files = [...found.personal, ...found.project];
    const versions = JSON.stringify([found.problems, ...files]);
    if (this.#last?.versions === versions) return this.#last.loaded;
    const now = this.#clock.now();
    const loaded = read(this.#places, found);
    const isSettled = files.every(({ modifiedMs }) => modifiedMs < now - settledAfterMs);
    this.#last = isSettled ? { versions, loaded } : undefined;
    return loaded;
  }
}

function read({ cwd, config }: InstructionPlaces, found: FoundInstructions): ComposedInstructions {
  const maxBytes = config.projectDocMaxBytes;
  const problems: InstructionProblem[] = [...found.problems];
  const beginning = (path: string, bytes: number): InstructionText | undefined => {
    try {
      return readBeginning(path, bytes);
    } catch (error) {
      // A file that went away since it was found is as good as one that never was.
      if (!isMissing(error)) problems.push(unreadable(path, error));
      return undefined;
    }
  };

  const personal = found.personal
    .values()
    .map(({ path }) => beginning(path, personalMaxBytes))
    .find((text) => text !== undefined && text.bytes.toString('utf8').trim() !== '');
  const project = found.project.map(({ path }) => beginning(path, maxBytes)).filter((text) => text !== undefined);
  const composed = composeInstructions({
    ...(personal === undefined ? {} : { personal }),
    project,
    cwd,
    maxBytes,
  });
  return { document: composed.document, problems: [...problems, ...composed.problems] };
}

/** One byte more than the limit, so that the cut can see where a character ends. */
function readBeginning(path: string, limit: number): InstructionText {
  const descriptor = fileSystem.openSync(path, 'r');
  try {
    const { size } = fileSystem.fstatSync(descriptor);
    const buffer = Buffer.alloc(Math.min(size, limit + 1));
    let length = 0;
    while (length < buffer.length) {
      const count = fileSystem.readSync(descriptor, buffer, length, buffer.length - length, length);
      if (count === 0) break;
      length += count;
    }
    // A file that shrank while it was read ends where it ends now.
    return { path, bytes: buffer.subarray(0, length), size: length < buffer.length ? length : size };
  } finally {
    fileSystem.closeSync(descriptor);
  }
}
