import { valueOr } from '../../base/objects.ts';
import { processFolders } from '../../engine/file-access.ts';
import { BoundedBuffer } from '../../base/bounded-buffer.ts';
import { isBlankText } from '../../base/invisible-characters.ts';
import { outcomeText, type Outcome } from '../../protocol/outcome.ts';
import { printNote } from '../views/terminal/print.ts';
import { withPipedInput } from '../views/wording/turn-lines.ts';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type PromptProblem = Outcome<'no-prompt' | 'input-encoding' | 'input-too-long'>;
/** How long to wait for the first byte on standard input if the command line already has a prompt. */
const patienceMs = 500;
/** More than any context window holds. Reading stops there, since the input may be endless. */
const mostBytes = 64 * 1024 * 1024;

/** The prompt from the command line, standard input, or both. A silent pipe with a writer delays a given prompt. */
export async function readPrompt(word: string | undefined): Promise<string | PromptProblem> {
  const given = word === '-' ? undefined : word;
  const bytes = await readStandardInput(word);
  if (bytes === undefined) return inputTooLong;
  const piped = decode(bytes);
  if (typeof piped !== 'string') return piped;
  const prompt = given === undefined ? piped : isBlankText(piped) ? given : withPipedInput(given, piped);
  if (!isBlankText(prompt)) return prompt;
  const message = prompt === '' ? 'There is no prompt.' : 'The prompt is blank, so there is nothing to send.';
  return { code: 'no-prompt', message, next: 'Give it as an argument or on standard input.' };
}

/** True if another process can still write into a silent pipe. Tells the user in either case. */
function hasMoreToCome(): boolean {
  const writer = findInputWriter();
  if (writer !== undefined) {
    printNote(`Waiting for process ${writer} to close standard input.`);
    return true;
  }
  const message = 'Standard input was silent for half a second and is ignored.';
  printNote(outcomeText({ message, next: 'If it is meant to be empty, start Capstan with </dev/null.' }));
  return false;
}

const inputTooLong: PromptProblem = {
  code: 'input-too-long',
  message: `Standard input is larger than ${mostBytes / 1024 / 1024} MB, more than any model can read.`,
  next: 'Put it into a file and name the file in the prompt, or pipe in the part that matters.',
};

/** Reads all of standard input; undefined if it is too large. A dash also reads what the user types. */
async function readStandardInput(word: string | undefined): Promise<Buffer | undefined> {
  const kind = kindOfInput();
  // Terminals and /dev/null provide no input, and creating Node's stream for them takes some milliseconds.
  const isTyped = (): boolean => word === '-' && process.getBuiltinModule('node:tty').isatty(0);
  if (kind === undefined || (kind.isCharacterDevice() && !isTyped())) return Buffer.alloc(0);
  if (kind.isFile()) return kind.size > mostBytes ? undefined : process.getBuiltinModule('node:fs').readFileSync(0);
  const held = new BoundedBuffer(mostBytes);
  let [hasBegun, ended] = [false, false];
  const everything = (async () => {
    for await (const chunk of process.stdin) {
      hasBegun = true;
      // Leaving the loop closes the input, so its writer notices.
      if (!held.add(chunk as Buffer)) return undefined;
    }
    ended = true;
    return held.take();
  })();
  if (word === undefined || word === '-') return everything;
  const patience = Promise.withResolvers<void>();
  setTimeout(patience.resolve, patienceMs).unref();
  await Promise.race([everything, patience.promise]);
  if (ended || hasBegun || hasMoreToCome()) return everything;
  process.stdin.destroy();
  return Buffer.alloc(0);
}

/** Undefined when standard input is closed. */
function kindOfInput() {
  return valueOr(undefined, () => process.getBuiltinModule('node:fs').fstatSync(0));
}

/** UTF-8, with or without a byte order mark, and UTF-16 with one. */
function decode(bytes: Buffer): string | PromptProblem {
  const begins = (...mark: readonly number[]) => mark.every((byte, i) => bytes[i] === byte);
  const utf32 = begins(0xff, 0xfe, 0, 0) || begins(0, 0, 0xfe, 0xff);
  const encoding = begins(0xff, 0xfe) ? 'utf-16le' : begins(0xfe, 0xff) ? 'utf-16be' : 'utf-8';
  try {
    if (utf32) throw new TypeError('UTF-32');
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return { code: 'input-encoding', message: 'Standard input is not text in UTF-8.', next: 'Convert it to UTF-8.' };
  }
}

/**
 * The process that writes into our standard input, such as the previous one in a pipeline. Our ancestors do not count:
 * they may hold a pipe that they made without writing to it. Undefined if there is none, or the system does not say.
 */
function findInputWriter(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const pipe = readlinkSync('/proc/self/fd/0');
    const aside = new Set(ancestry(process.pid));
    const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !aside.has(Number(name)));
    const found = others.find((pid) => writesTo(pid, pipe));
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

function ancestry(pid: number): readonly number[] {
  const parent = pid === 0 ? undefined : parentOf(pid);
  return parent === undefined ? [pid] : [pid, ...ancestry(parent)];
}

function parentOf(pid: number): number | undefined {
  try {
    // The second field is a name of any form, in parentheses; the state comes right after it, then the parent.
    return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return undefined;
  }
}

const writesTo = (pid: string, pipe: string): boolean =>
  processFolders(Number(pid)).some((folder) => holdsForWriting(folder, pipe));

function holdsForWriting(folder: string, pipe: string): boolean {
  try {
    return readdirSync(`${folder}/fd`).some(
      (fd) => readlinkSync(`${folder}/fd/${fd}`) === pipe && isForWriting(`${folder}/fdinfo/${fd}`),
    );
  } catch {
    // No permission to look at it, or already gone.
    return false;
  }
}

function isForWriting(path: string): boolean {
  const flags = /^flags:\s*(?<octal>[0-7]+)$/m.exec(readFileSync(path, 'latin1'))?.groups?.['octal'];
  return flags !== undefined && (Number.parseInt(flags, 8) & 0b11) !== 0;
}
