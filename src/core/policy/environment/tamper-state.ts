import type { Outcome } from '../../../protocol/outcome.ts';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import type { RepositoryKind } from '../git/inspect-repository.ts';
import { isWithin, joinPath } from '../paths/absolute-paths.ts';
import { type PathSight, walkPath } from '../paths/walk-path.ts';
import type { ShellEnvironmentPolicy } from './shell-environment-policy.ts';

/** What stands where a command would run, as far as commands could have put it there. */
export interface TamperState {
  /** The folder that it would run in, links followed. Absent: there is none. */
  readonly folder?: string;
  /** Of the programs that were asked about, those that no command can have written or replaced. */
  readonly settled: ReadonlySet<string>;
  /** The name of a variable by which code that commands can have written gets into every program. Absent: none does. */
  readonly openVariable?: string;
  /** A folder of the search path in which commands can put programs, so that no bare name is settled. Absent: none. */
  readonly writablePathFolder?: string;
  /** Commands of the thread run beside it: they may put links in the way of a program that writes many files. */
  readonly hasCompany?: true;
  /** Which repository git finds in the folder. `protected` only if all that git could reach was looked at. */
  readonly repository: RepositoryKind;
  /** Of the workspace's own: what commands can have written, and git would take programs from. */
  readonly openSetting?: string;
  /** Of a `protected` one: with these git takes that repository and no other, whatever happens meanwhile. */
  readonly gitVariables?: Readonly<Record<string, string>>;
}

/** Whether a decision on one holds on the other. */
export function isSameTamperState(one: TamperState, other: TamperState): boolean {
  return (
    one.folder === other.folder &&
    one.repository === other.repository &&
    one.openSetting === other.openSetting &&
    one.openVariable === other.openVariable &&
    one.hasCompany === other.hasCompany &&
    one.settled.symmetricDifference(other.settled).size === 0
  );
}

export interface TamperCheckRequest {
  /** As the command spells them. */
  readonly programs: readonly string[];
  /** Whether commands of the thread run that outlived their calls. */
  readonly hasCompany: boolean;
  /** Git is among them and may leave the sandbox: all that it could reach is looked at. */
  readonly reachOfGit: boolean;
  readonly cwd: string;
  /** Where the thread works. */
  readonly workspace: string;
  /** With all that is granted by now. */
  readonly policy: ResolvedPolicy;
  readonly variables: ShellEnvironmentPolicy;
  readonly signal: AbortSignal;
  warn(outcome: Outcome): void;
}

/** Looks at the disk before a command may leave the sandbox. */
export interface TamperWatch {
  /** Never rejects. */
  look(request: TamperCheckRequest): Promise<TamperState>;
  /** Commands may write there from now on: what stands there is not settled any more. */
  open(paths: readonly string[]): void;
}

/** What a look at the places of programs needs. */
interface ProgramProbe {
  /** What stands at a path, a link itself and not what it leads to. */
  look(path: string): PathSight;
  /** Whether commands may write the path, or once could. */
  isWritable(path: string): boolean;
  /** Where the command runs. Absolute. */
  readonly cwd: string;
  /** The search path that the command will have. Undefined: the shell chooses one, which is not known. */
  readonly path: string | undefined;
}

/** What a path means there depends on the process that asks. */
const perProcess = ['/proc', '/dev'];

/**
 * Whether no command can have written or replaced what a shell starts by this word. A bare name is searched for in the
 * whole path: no folder of it may be writable, so that other names of the same script are settled with it.
 */
export function isUntamperedProgram(word: string, ground: ProgramProbe): boolean {
  if (word === '' || word.includes('\0')) return false;
  if (word.startsWith('/')) return isUntamperedPlace(word, ground);
  if (word.includes('/')) return isUntamperedPlace(`${ground.cwd}/${word}`, ground);
  if (writablePathFolder(ground) !== undefined) return false;
  const folders = ground.path?.split(':') ?? [];
  // A name that stands nowhere is a word of the shell, or starts nothing.
  return folders.every((folder) => isUntamperedPlace(joinPath(folder, word), ground));
}

/** The first folder of the search path that is relative, or in which commands can put a program. */
export function writablePathFolder(ground: ProgramProbe): string | undefined {
  const folders = ground.path?.split(':') ?? [''];
  const found = folders.find((folder) => !folder.startsWith('/') || !isUntamperedPlace(folder, ground));
  return found === '' ? '.' : found;
}

/** Whether commands can change neither what the path leads to nor anything on the way there. */
function isUntamperedPlace(path: string, { look, isWritable }: Pick<ProgramProbe, 'look' | 'isWritable'>): boolean {
  let isSettled = true;
  const lookAround = (place: string): PathSight => {
    isSettled &&= !isWritable(place) && !perProcess.some((folder) => isWithin(place, folder));
    return look(place);
  };
  const { kind } = walkPath(lookAround, path, { lastLink: 'followed' });
  return isSettled && kind !== 'loop';
}

/** Variables that hold places from which a program, or one that it starts, loads code: libraries, start files, helpers. */
const places = new Set(
  'LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT LD_DEBUG_OUTPUT DYLD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_FRAMEWORK_PATH DYLD_FALLBACK_LIBRARY_PATH GCONV_PATH OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES BASH_ENV ZDOTDIR PERL5LIB PERLLIB PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONPYCACHEPREFIX RUBYLIB NODE_PATH LUA_PATH LUA_CPATH CLASSPATH GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_SSH GIT_ASKPASS SSH_ASKPASS GNUPGHOME'.split(
    ' ',
  ),
);

/** Variables that hold a program with its arguments. */
const commandLines = new Set(
  'EDITOR VISUAL GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF'.split(' '),
);

/** Variables that hold options, of which some have a program load code. */
const options: Readonly<Record<string, RegExp>> = {
  JAVA_TOOL_OPTIONS: /agent|path/i,
  _JAVA_OPTIONS: /agent|path/i,
  NODE_OPTIONS: /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)\b/,
  PERL5OPT: /\S/,
  RUBYOPT: /\S/,
};

/**
 * The name of a variable by which code gets into a program that commands can have written. Undefined: none does. A place
 * that is not absolute is one of the folder that the program runs in.
 */
export function tamperedLoadingVariable(
  variables: Readonly<Record<string, string>>,
  ground: Omit<ProgramProbe, 'path'>,
): string | undefined {
  const isSettled = (place: string): boolean =>
    isUntamperedPlace(place.startsWith('/') ? place : `${ground.cwd}/${place}`, ground);
  return Object.keys(variables).find((name) => {
    const value = variables[name] ?? '';
    if (value === '') return false;
    // A command line: names alone are found by the search path, and those of the user's home are the user's.
    if (commandLines.has(name)) return !wordsOf(value).filter(isPathWord).every(isSettled);
    if (Object.hasOwn(options, name)) return options[name]?.test(value) === true && !wordsOf(value).every(isSettled);
    // Git would write there.
    if (name.startsWith('GIT_TRACE')) return value.startsWith('/') && !isSettled(value);
    return places.has(name) && !value.split(/[:;\s]/).every(isSettled);
  });
}

/** What of options could be a place: a name alone is looked for in the folder. A place may follow its option at once. */
function wordsOf(value: string): readonly string[] {
  return value
    .split(/[\s=:,"']+/)
    .map((word) => (word.startsWith('-') ? (/^-(?:[Ir](?=.)|[^/]*(?=\/))(.*)/.exec(word)?.[1] ?? '') : word))
    .filter((word) => word !== '');
}

function isPathWord(word: string): boolean {
  return word.includes('/') && !word.startsWith('~');
}
