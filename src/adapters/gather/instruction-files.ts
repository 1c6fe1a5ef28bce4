import { controlRegexClass } from '../../base/invisible-characters.ts';
import { defined, valueOr } from '../../base/objects.ts';
import type { Config } from '../../core/config/config.ts';
import type { InstructionDocument } from '../../core/envelope/facts.ts';
import type { InstructionRules, Settings } from '../../core/envelope/settings.ts';
import { contextBudget } from '../../core/envelope/window.ts';
import { bytesPerToken } from '../../core/fragments/text/truncate.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import type { Clock } from '../../ports/system.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import { fileSystem, isMissing, realPathSoFar, diskErrorReason } from '../disk/file-system.ts';
import {
  type BoundedReading,
  NotRegularFileError,
  describeFileKind,
  readBounded,
  readUpTo,
  realPathOf,
  versionOfFile,
  withRegularFile,
} from '../disk/regular-files.ts';
import { projectFolders, withTrailingSeparator } from './files/project-folders.ts';
import { readGuard, type ReadGuard, readLimits } from './files/read-guard.ts';

/** A file that changed less than this ago may change again without getting another time stamp. */
const settledAfterMs = 2_000;
const attempts = 3;

/**
 * The text of all AGENTS.md files that apply. Callers ask before every model request: while no file changes, only names
 * are checked and the previous answer is returned. A faulty file is a problem, never an error.
 */
export class InstructionFiles {
  readonly #home: string;
  readonly #clock: Clock;
  #last: { readonly key: string; readonly loaded: LoadedInstructions } | undefined;

  /** `home` is the user folder, whose file applies to all projects. */
  constructor({ home, clock }: { readonly home: string; readonly clock: Clock }) {
    this.#home = home;
    this.#clock = clock;
  }

  async load(rules: InstructionRules, { policy, effectiveWindow }: LoadingTurn): Promise<LoadedInstructions> {
    const reads = readGuard(policy);
    const mostBytes = instructionByteLimit(effectiveWindow);
    for (let attempt = 1; ; attempt++) {
      const found = findInstructionFiles(this.#home, rules, reads);
      const key = JSON.stringify([rules.cwd, rules.maxBytes, mostBytes, found]);
      if (this.#last?.key === key) return this.#last.loaded;
      const settledBefore = this.#clock.now() - settledAfterMs;
      const { loaded, state } = read(found, { ...rules, mostBytes });
      if (state === 'moved' && attempt < attempts) continue;
      const isSettled = [...found.personal, ...found.project].every(({ modifiedMs }) => modifiedMs < settledBefore);
      this.#last = isSettled && state === 'whole' ? { key, loaded } : undefined;
      return loaded;
    }
  }
}

type LoadingTurn = { readonly policy: ResolvedPolicy; readonly effectiveWindow: number };

interface Read {
  readonly loaded: LoadedInstructions;
  /** `moved`: a file changed meanwhile, so read again at once. `failed`: a file could not be read, but may be later. */
  readonly state: 'whole' | 'moved' | 'failed';
}

function read(
  found: FoundInstructions,
  { cwd, maxBytes, mostBytes }: InstructionRules & { readonly mostBytes: number },
): Read {
  const problems: InstructionProblem[] = [...found.problems];
  let state: Read['state'] = 'whole';
  const textOf = (file: InstructionFile, limit: number): InstructionText | undefined => {
    const result = readBeginning(file, limit);
    if (result.kind === 'changed' || result.kind === 'gone') state = 'moved';
    if (result.kind === 'failed' && state === 'whole') state = 'failed';
    const problem = 'problem' in result ? result.problem : nonTextProblem(result.text);
    if (problem !== undefined) problems.push(problem);
    return problem === undefined && 'text' in result ? result.text : undefined;
  };
  const personal = found.personal
    .values()
    .map((file) => textOf(file, personalBytes(mostBytes)))
    .find((text) => text !== undefined && !isBlank(text));
  const limit = Math.min(maxBytes, mostBytes);
  const project = found.project.map((file) => textOf(file, limit)).filter((text) => text !== undefined);
  const composed = composeInstructions({ personal, project, cwd, maxBytes, mostBytes });
  return { loaded: { document: composed.document, problems: [...problems, ...composed.problems] }, state };
}

interface LoadedInstructions {
  readonly document: InstructionDocument;
  /** While files stay as they are and can be read, a problem stays the same object: a caller need not repeat it. */
  readonly problems: readonly InstructionProblem[];
}

/** Limit for all files in a window of this many tokens. The fragment has space for this and for notices. */
export const instructionByteLimit = (effectiveWindow: number): number =>
  contextBudget('agentsMd', effectiveWindow) * bytesPerToken;

interface ReadInstructions extends Pick<InstructionRules, 'cwd' | 'maxBytes'> {
  readonly personal?: InstructionText;
  readonly project: readonly InstructionText[];
  readonly mostBytes: number;
}

/** The personal file is outside the configured budget and gets half of the upper limit. */
const personalBytes = (mostBytes: number): number => Math.floor(mostBytes / 2);
const separator = '\n\n--- project-doc ---\n\n';

/** Joins the personal file and the project's, root first, within the budget. A note and a problem name the rest. */
export function composeInstructions(input: ReadInstructions): LoadedInstructions {
  const own = input.personal === undefined ? [] : [input.personal];
  const personal = join(own, personalBytes(input.mostBytes), 'Shorten the file.');
  const space = input.mostBytes - personal.bytes;
  const next = space < input.maxBytes ? 'Shorten the files.' : 'Shorten the files, or raise project_doc_max_bytes.';
  const project = join(input.project, Math.min(input.maxBytes, space), next);

  const problems = [...personal.problems, ...project.problems];
  const texts = [personal.text.trim(), project.text].filter((text) => text !== '');
  if (texts.length === 0) return { document: {}, problems };
  const directory = project.text === '' ? {} : { directory: input.cwd };
  return { document: { text: texts.join(separator), ...directory }, problems };
}

function join(files: readonly InstructionText[], maxBytes: number, next: string) {
  const texts: string[] = [];
  const cuts: string[] = [];
  const problems: InstructionProblem[] = [];
  let bytes = 0;
  for (const file of files) {
    if (isBlank(file)) continue;
    // Later files must not fill the space that an earlier cut has left.
    const taken = cuts.length > 0 ? 0 : beginning(file, maxBytes - bytes);
    const { text, replaced } = decode(file.bytes.subarray(0, taken));
    if (taken > 0) texts.push(text);
    if (replaced > 0) {
      const message = `The instructions in ${onOneLine(file.path)} are not valid UTF-8 (replaced characters: ${replaced}).`;
      problems.push(problem('damaged', message, saveAsUtf8));
    }
    bytes += taken;
    if (taken < file.size)
      cuts.push(`${taken === 0 ? 'all ' : ''}${file.size - taken} bytes of ${onOneLine(file.path)}`);
  }
  if (cuts.length === 0) return { text: texts.join('\n\n'), bytes, problems };
  const leftOut = `${cuts.slice(0, 3).join(', ')}${cuts.length > 3 ? ` and of ${cuts.length - 3} more files` : ''}`;
  const notice = `[Cut here to ${maxBytes} bytes. Left out: ${leftOut}. Read the files for the rest.]`;
  problems.push(problem('cut', `The instructions are too long. Left out: ${leftOut}.`, next));
  return { text: [...texts, notice].join('\n\n'), bytes, problems };
}

/** Half a sentence may say the opposite of the whole, so a cut moves back to a line end this near. */
const lineSearchBytes = 500;

/** Number of bytes to take: all, or up to a line end, or at least up to a character's end. */
function beginning({ bytes, size }: InstructionText, limit: number): number {
  if (size <= limit) return size;
  const at = characterStart(bytes, limit);
  if (at === 0 || bytes[at] === lineFeed) return at;
  const lineEnd = bytes.lastIndexOf(lineFeed, at - 1) + 1;
  return lineEnd > 0 && lineEnd >= at - lineSearchBytes ? lineEnd : at;
}

const lineFeed = 0x0a;

function characterStart(bytes: Uint8Array, limit: number): number {
  for (let at = limit; at > limit - 4 && at >= 0; at--) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  }
  // Four continuation bytes in a row are not UTF-8, so no character can be split.
  return limit;
}

export type InstructionText = { readonly path: string; readonly bytes: Buffer; readonly size: number };
const replacement = '\uFFFD';

const isBlank = ({ bytes, size }: InstructionText): boolean =>
  bytes.length === size && bytes.toString('utf8').trim() === '';

/** Why the text cannot be sent to a model. A few invalid bytes do no harm. */
function nonTextProblem({ path, bytes }: InstructionText): InstructionProblem | undefined {
  const mark = bytes.toString('hex', 0, 2);
  if (mark === 'fffe' || mark === 'feff') return notText(path, 'they are in UTF-16');
  if (bytes.includes(0)) return notText(path, 'they are binary');
  // Up to a tenth may be replaced: each replaced byte grows to three, so more would also exceed the limit. One is not
  // counted: it may be a character cut off at the end.
  const isMostlyBroken = (decode(bytes).replaced - 1) * 10 > bytes.length;
  return isMostlyBroken ? notText(path, 'they are not in UTF-8') : undefined;
}

/** `replaced`: number of invalid sequences. */
function decode(bytes: Buffer): { readonly text: string; readonly replaced: number } {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (!text.includes(replacement)) return { text, replaced: 0 };
  const written = occurrences(bytes.toString('latin1'), Buffer.from(replacement).toString('latin1'));
  return { text, replaced: occurrences(text, replacement) - written };
}

const occurrences = (text: string, part: string): number => text.split(part).length - 1;

interface FoundInstructions {
  /** In order of preference: only the first that is not blank counts. */
  readonly personal: readonly InstructionFile[];
  /** From the project's root down to the working folder: all count. */
  readonly project: readonly InstructionFile[];
  readonly problems: readonly InstructionProblem[];
}

const usualNames = ['AGENTS.override.md', 'AGENTS.md'];

/** Finds the files that apply, without reading them. The one in `home` applies everywhere and may be a link. */
export function findInstructionFiles(home: string, rules: InstructionRules, reads: ReadGuard): FoundInstructions {
  const problems: InstructionProblem[] = [];
  const personal: InstructionFile[] = [];
  for (const name of usualNames) {
    const looked = lookAtInstructions(withTrailingSeparator(home) + name, personalGuard(reads));
    if (looked.kind === 'file') personal.push(looked);
    else if (looked.kind !== 'none') problems.push(looked.problem);
  }
  if (rules.maxBytes <= 0 || rules.trusted === 'untrusted') return { personal, project: [], problems };

  const names = new Set([...usualNames, ...rules.fallbackFilenames.filter((name) => name !== '')]);
  const project: InstructionFile[] = [];
  const folders = projectFolders(rules.cwd, rules.rootMarkers);
  const guard = projectGuard(folders, reads);
  for (const folder of folders) {
    // In the user folder itself the personal file would be included twice.
    if (folder === home || realPathSoFar(folder) === realPathSoFar(home)) continue;
    for (const name of names) {
      const looked = lookAtInstructions(withTrailingSeparator(folder) + name, guard);
      if (looked.kind === 'none') continue;
      if (looked.kind === 'file') project.push(looked);
      else problems.push(looked.problem);
      if (looked.kind !== 'unusable') break;
    }
  }
  return { personal, project, problems };
}

const personalGuard =
  ({ deniesUser }: ReadGuard): InstructionGuard =>
  (path, place) =>
    deniesUser(path) || deniesUser(place) ? deniedByPolicy(path, place) : undefined;

/**
 * A project's file must lie in the project: a link in a repository could make the engine send other files of the user
 * to the model. The folders may be reached through links, since the user chose to work there.
 */
function projectGuard(folders: readonly string[], { deniesModel }: ReadGuard): InstructionGuard {
  let places: readonly string[] | undefined;
  return (path, place) => {
    places ??= folders.flatMap(placeOfFolder);
    if (!places.some((folder) => isWithin(place, folder))) return leavesProject(path, place);
    return deniesModel(path) || deniesModel(place) ? deniedByPolicy(path, place) : undefined;
  };
}

function placeOfFolder(folder: string): readonly string[] {
  return valueOr([], () => [fileSystem.realpathSync.native(folder)]);
}

/** Why the file must not be read, given its real place; undefined when it may. */
export type InstructionGuard = (path: string, place: string) => InstructionProblem | undefined;

/** `version` changes whenever the file does. */
interface InstructionFile {
  readonly kind: 'file';
  readonly path: string;
  readonly version: string;
  readonly modifiedMs: number;
  /** Checked again for the opened file: a link may lead elsewhere by then. */
  readonly guard: InstructionGuard;
}

/** `unusable`: no file that may be read, so another name may serve. `unknown`: cannot be examined, may be one. */
export type InstructionLookup =
  | InstructionFile
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable' | 'unknown'; readonly problem: InstructionProblem };

/** Does not read. If there is no file, it costs one system call. */
function lookAtInstructions(path: string, guard: InstructionGuard): InstructionLookup {
  try {
    const entry = fileSystem.lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return { kind: 'none' };
    const stats = entry.isSymbolicLink() ? fileSystem.statSync(path, { throwIfNoEntry: false }) : entry;
    if (stats === undefined) {
      const problem = cannotBeRead(path, 'it is a broken link', 'Fix the link, or delete it.');
      return { kind: 'unusable', problem };
    }
    const isFile = stats.isFile();
    const problem = isFile
      ? guard(path, fileSystem.realpathSync.native(path))
      : notAFile(path, describeFileKind(stats));
    if (problem !== undefined) return { kind: 'unusable', problem };
    const modifiedMs = Math.max(stats.mtimeMs, stats.ctimeMs);
    return { kind: 'file', path, version: versionOfFile(stats), modifiedMs, guard };
  } catch (error) {
    return isMissing(error) ? { kind: 'none' } : { kind: 'unknown', problem: unreadable(path, error) };
  }
}

/** `changed`: no longer the file that was examined. */
export type InstructionRead =
  | { readonly kind: 'read' | 'changed'; readonly text: InstructionText }
  | { readonly kind: 'gone' | 'failed'; readonly problem: InstructionProblem };

/** Reads one byte beyond the limit, so that a cut can see where a character ends. */
function readBeginning({ path, version, guard }: InstructionFile, limit: number): InstructionRead {
  try {
    return withRegularFile(path, { links: 'followed' }, (file, before): InstructionRead => {
      const problem = guard(path, realPathOf(file, path));
      if (problem !== undefined) return { kind: 'gone', problem };
      const bytes = readUpTo(file, { most: limit + 1, expected: before.size });
      const after = fileSystem.fstatSync(file);
      const size = bytes.length <= limit ? bytes.length : Math.max(bytes.length, after.size);
      return { kind: versionOfFile(after) === version ? 'read' : 'changed', text: { path, bytes, size } };
    });
  } catch (error) {
    if (error instanceof NotRegularFileError) return { kind: 'gone', problem: notAFile(path, error.noun) };
    if (isMissing(error)) return { kind: 'gone', problem: cannotBeRead(path, 'the file disappeared', foundAgain) };
    return { kind: 'failed', problem: unreadable(path, error) };
  }
}

export type InstructionFileProblem = Outcome<`${'model-instructions' | 'compact-prompt'}-${'unreadable' | 'empty'}`>;

/** The trimmed texts of the configured files. An unusable file is a problem; no other text replaces it. */
export function loadInstructionFiles(
  config: Pick<Config, 'modelInstructionsFile' | 'experimentalCompactPromptFile'>,
  rules: Pick<BoundedReading, 'denies'> = {},
): Pick<Settings, 'baseInstructions' | 'compactPrompt'> | InstructionFileProblem {
  const base = load('model-instructions', 'model_instructions_file', config.modelInstructionsFile, rules);
  if (typeof base === 'object') return base;
  const compactFile = config.experimentalCompactPromptFile;
  const compact = load('compact-prompt', 'experimental_compact_prompt_file', compactFile, rules);
  if (typeof compact === 'object') return compact;
  return defined({ baseInstructions: base, compactPrompt: compact });
}

function load(
  name: 'model-instructions' | 'compact-prompt',
  key: string,
  path: string | undefined,
  rules: Pick<BoundedReading, 'denies'>,
): string | undefined | InstructionFileProblem {
  if (path === undefined) return undefined;
  const file = readBounded(path, { ...rules, maxBytes: readLimits.instructionsBytes });
  if (file.kind !== 'read') {
    const fate = file.kind === 'missing' ? 'does not exist' : `cannot be read (${file.reason})`;
    const next = 'Set the key to a file that you can read, or remove it.';
    return { code: `${name}-unreadable`, message: `The file in ${key} ${fate}: ${path}`, next };
  }
  const text = file.bytes.toString('utf8').trim();
  if (text !== '') return text;
  const next = 'Write the text into it, or remove the key.';
  return { code: `${name}-empty`, message: `The file in ${key} is empty: ${path}`, next };
}

type Kind = 'unreadable' | 'not-a-file' | 'not-text' | 'damaged' | 'cut' | 'outside-project' | 'denied';
/** A problem with an instruction file. The turn continues without it, or with what could be read. */
type InstructionProblem = Outcome<`instructions-${Kind}`>;

function problem(kind: Kind, message: string, next: string): InstructionProblem {
  return { code: `instructions-${kind}`, message, next };
}

function cannotBeRead(path: string, reason: string, next: string): InstructionProblem {
  const message = `The instructions in ${onOneLine(path)} cannot be read: ${onOneLine(reason)}.`;
  return problem('unreadable', message, next);
}

const unreadable = (path: string, error: unknown): InstructionProblem =>
  cannotBeRead(path, diskErrorReason(error), 'Make the file readable, or remove it.');

const foundAgain = 'No action is needed. Capstan looks for the file again before the next request.';
const ignored = (kind: Kind, path: string, reason: string, next: string): InstructionProblem =>
  problem(kind, `Capstan ignores the instructions in ${onOneLine(path)}${reason}.`, next);

function leavesProject(path: string, target: string): InstructionProblem {
  const fate = `: it is a link to ${onOneLine(target)}, outside the project`;
  return ignored('outside-project', path, fate, 'Replace the link with a copy of the file.');
}

function deniedByPolicy(path: string, target: string): InstructionProblem {
  const leads = path === target ? '' : ` (a link to ${onOneLine(target)})`;
  const next = 'If this is intended, no action is needed. `capstan envelope` shows the policy.';
  return ignored('denied', path, `${leads}: the policy denies reading the file`, next);
}

const notText = (path: string, reason: string): InstructionProblem =>
  ignored('not-text', path, `: ${reason}`, saveAsUtf8);

function notAFile(path: string, kind: string): InstructionProblem {
  const message = `${onOneLine(path)} has the name of an instructions file, but is ${kind}.`;
  return problem('not-a-file', message, 'Rename it, or replace it with a file that holds the instructions.');
}

const saveAsUtf8 = 'Save the file as UTF-8 text.';
const controls = new RegExp(`[${controlRegexClass}]`, 'g');
/** A path may hold any character; in a sentence it must not break the line or control the terminal. */
const onOneLine = (path: string): string => path.replace(controls, '?');
