import type { Clock, ProgramFinder } from '../../ports/system.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { isJsonObject, objectAt, parseJson, stringAt } from '../../protocol/json.ts';
import { fileSystem as fs, isMissing, diskErrorReason } from '../disk/file-system.ts';
import { openRegularFile, withRegularFile } from '../disk/regular-files.ts';
import { lockOpenFile, lockPrograms } from './files/file-locks.ts';

export interface KeptPrompt {
  readonly text: string;
  /** A shell command of the user. Lines without this mark, such as those of other programs, are messages. */
  readonly isCommand?: true;
}

/** User input of all conversations of this home, in a file that Codex also reads and writes. */
export interface PromptHistory {
  /** Returns the reason if it could not be kept. */
  append(prompt: KeptPrompt & { readonly threadId: string }): Promise<Outcome | undefined>;
  end(): PromptPlace | undefined;
  /** Prompts before a place, newest first. Absent: before the current end of the file. */
  before(place?: PromptPlace): PromptsRead | Outcome;
}

export interface PromptPlace {
  readonly offset: number;
  /** Inode: places are valid only for this file. */
  readonly file: number;
}

/** `rest`: undefined if there are no older ones. */
type PromptsRead = { readonly prompts: readonly KeptPrompt[]; readonly rest: PromptPlace | undefined };

export interface PromptHistoryOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly programs: ProgramFinder;
  readonly isOff: boolean;
  /** A longer file loses its oldest prompts. 0: never. */
  readonly maxBytes: number;
}

const tries = 10;
const pauseMs = 100;
const batchBytes = 64 * 1024;
/** The longest message has a million characters, each up to six bytes as JSON. */
const mostLine = 8 * 1024 * 1024;
const newline = 10;

export function createPromptHistory(options: PromptHistoryOptions): PromptHistory {
  const { path, isOff } = options;
  /** Serialised, so that the lines of a process are in order and do not wait for each other's locks. */
  let last: Promise<unknown> = Promise.resolve();
  return {
    append(prompt) {
      const appended = isOff ? Promise.resolve(undefined) : last.then(() => append(prompt, options));
      last = appended;
      return appended;
    },
    end() {
      const found = fs.statSync(path, { throwIfNoEntry: false });
      return found === undefined ? undefined : { offset: found.size, file: found.ino };
    },
    before(place) {
      try {
        return withRegularFile(path, { links: 'refused' }, (file, { ino, size }) => {
          const end = place?.offset ?? size;
          // The file was trimmed or replaced: nothing from before the place is left.
          if (place !== undefined && (place.file !== ino || end > size)) return { prompts: [], rest: undefined };
          return readBefore(file, end, ino);
        });
      } catch (error) {
        if (isMissing(error)) return { prompts: [], rest: undefined };
        return { code: 'history-unreadable', message: `${path} cannot be read: ${diskErrorReason(error)}.`, next: '' };
      }
    },
  };
}

async function append(
  { threadId, text, isCommand }: KeptPrompt & { readonly threadId: string },
  { path, clock, programs, maxBytes }: PromptHistoryOptions,
): Promise<Outcome | undefined> {
  const ts = Math.floor(clock.now() / 1000);
  const ours = isCommand === true ? { capstan: { command: true } } : {};
  const line = Buffer.from(`${JSON.stringify({ session_id: threadId, ts, text, ...ours })}\n`);
  try {
    const { O_RDWR, O_CREAT, O_APPEND } = fs.constants;
    const { file } = openRegularFile(path, { links: 'refused', flags: O_RDWR | O_CREAT | O_APPEND, mode: 0o600 });
    try {
      // Trimming moves the content: wait while another process does that.
      for (let round = 1; (await lockOpenFile(file, lockPrograms, programs)) === 'held'; round++) {
        if (round === tries) return unkept(path, 'another program holds its lock');
        await clock.sleep(pauseMs);
      }
      appendLine(file, line);
      if (maxBytes > 0) trim(file, path, maxBytes, line.length);
    } finally {
      fs.closeSync(file);
    }
    return undefined;
  } catch (error) {
    return unkept(path, diskErrorReason(error));
  }
}

/** One write, so that lines of several processes do not mix. A line cut off by a crash is terminated first. */
function appendLine(file: number, line: Buffer): void {
  const { size, mode } = fs.fstatSync(file);
  if ((mode & 0o077) !== 0) fs.fchmodSync(file, 0o600);
  const last = Buffer.alloc(1);
  const isCutOff = size > 0 && fs.readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== newline;
  fs.writeSync(file, isCutOff ? Buffer.concat([Buffer.of(newline), line]) : line);
}

/** Drops the oldest lines down to four fifths of the limit. The newest line always stays. */
function trim(file: number, path: string, maxBytes: number, newest: number): void {
  const { size } = fs.fstatSync(file);
  if (size <= maxBytes) return;
  const wanted = Math.max(newest, Math.floor(maxBytes * 0.8));
  const kept = Buffer.alloc(Math.min(size, wanted));
  fs.readSync(file, kept, 0, kept.length, size - kept.length);
  // The first line may be cut: drop it, too.
  const tail = kept.length === newest ? kept : kept.subarray(kept.indexOf(newline) + 1);
  // A file opened for appending cannot be written at other offsets.
  withRegularFile(path, { links: 'refused', flags: fs.constants.O_RDWR }, (same) => {
    fs.writeSync(same, tail, 0, tail.length, 0);
    fs.ftruncateSync(same, tail.length);
  });
}

function readBefore(file: number, end: number, ino: number): PromptsRead {
  for (let size = batchBytes; ; size *= 2) {
    const start = Math.max(0, end - size);
    const bytes = Buffer.alloc(end - start);
    fs.readSync(file, bytes, 0, bytes.length, start);
    const first = start === 0 ? 0 : bytes.indexOf(newline) + 1;
    if (start > 0 && (first === 0 || first === bytes.length) && size < mostLine) continue;
    const lines = bytes.subarray(first).toString('utf8').split('\n').toReversed();
    const offset = start > 0 && first === 0 ? start : start + first;
    return { prompts: lines.flatMap(promptIn), rest: offset === 0 ? undefined : { offset, file: ino } };
  }
}

/** Skips partial lines and those of another form. */
function promptIn(line: string): readonly KeptPrompt[] {
  const parsed = parseJson(line);
  const read = isJsonObject(parsed) ? parsed : undefined;
  const text = stringAt(read, 'text') ?? '';
  if (text === '') return [];
  return [objectAt(read, 'capstan')?.['command'] === true ? { text, isCommand: true } : { text }];
}

function unkept(path: string, why: string): Outcome {
  const next = 'It is in this conversation all the same. To keep no history, set history.persistence = "none".';
  return { code: 'history-unwritten', message: `The message was not added to ${path}: ${why}.`, next };
}
