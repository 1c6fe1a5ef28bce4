import type { Outcome } from '../../../protocol/outcome.ts';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import type { EnvironmentVariables } from '../../../protocol/shell.ts';
import { wordSet } from '../commands/command-words.ts';
import type { RepositoryKind } from '../git/inspect-repository.ts';
import { isWithin, joinPath } from '../paths/absolute-paths.ts';
import { type PathInspection, walkPath } from '../paths/walk-path.ts';
import type { ShellEnvironmentPolicy } from './shell-environment-policy.ts';

/** Possible tampering by commands at the place where a command would run. */
export interface TamperState {
  /** The folder that it would run in, links followed. Absent: there is none. */
  readonly folder?: string;
  /** The queried programs that no command can have written or replaced. */
  readonly settled: ReadonlySet<string>;
  /** A variable through which code that commands can have written gets into every program. Absent: none. */
  readonly openVariable?: string;
  /** A search path folder in which commands can place programs, so no bare name is settled. Absent: none. */
  readonly writablePathFolder?: string;
  /** Other commands of the thread run beside it: they may put links in the way of a program that writes many files. */
  readonly hasCompany?: true;
  /** The repository that git finds in the folder. `protected` only if everything that git could reach was examined. */
  readonly repository: RepositoryKind;
  /** In the workspace's own repository: a place with programs for git that commands can have written. */
  readonly openSetting?: string;
  /** For a `protected` repository: with these variables git uses it and no other, whatever happens meanwhile. */
  readonly gitVariables?: Readonly<Record<string, string>>;
}

const compared = ['folder', 'repository', 'openSetting', 'openVariable', 'hasCompany'] as const;
export const isSameTamperState = (one: TamperState, other: TamperState): boolean =>
  compared.every((key) => one[key] === other[key]) && one.settled.symmetricDifference(other.settled).size === 0;

export interface TamperCheckRequest {
  readonly programs: readonly string[];
  /** True if commands of the thread outlived their calls and still run. */
  readonly hasCompany: boolean;
  /** Git is among the programs and may leave the sandbox, so Capstan examines everything that git could reach. */
  readonly reachOfGit: boolean;
  readonly cwd: string;
  readonly workspace: string;
  readonly policy: ResolvedPolicy;
  readonly variables: ShellEnvironmentPolicy;
  readonly signal: AbortSignal;
  warn(outcome: Outcome): void;
}

export interface TamperWatch {
  /** Never rejects. */
  look(request: TamperCheckRequest): Promise<TamperState>;
  /** Commands may write there from now on, so nothing there is settled any more. */
  open(paths: readonly string[]): void;
}

interface ProgramProbe {
  /** Describes the path itself; a link is not followed. */
  look(path: string): PathInspection;
  /** True if commands may write the path, or once could. */
  isWritable(path: string): boolean;
  /** Folder in which the command runs. Absolute. */
  readonly cwd: string;
  /** The command's search path. Undefined: the shell chooses one that is not known. */
  readonly path: string | undefined;
}

/** The meaning of these paths depends on the process that opens them. */
const perProcess = ['/proc', '/dev'];

/**
 * True if no command can have written or replaced the program that a shell starts by this word. A bare name is searched
 * for in the whole path: no folder of it may be writable, so that other names in the same script are settled too.
 */
export function isUntamperedProgram(word: string, ground: ProgramProbe): boolean {
  if (word === '' || word.includes('\0')) return false;
  if (word.startsWith('/')) return isUntamperedPlace(word, ground);
  if (word.includes('/')) return isUntamperedPlace(`${ground.cwd}/${word}`, ground);
  if (writableSearchFolder(ground) !== undefined) return false;
  const folders = ground.path?.split(':') ?? [];
  // A name that is not found is a shell word, or starts nothing.
  return folders.every((folder) => isUntamperedPlace(joinPath(folder, word), ground));
}

/** The first folder of the search path that is relative, or in which commands can place a program. */
export function writableSearchFolder(ground: ProgramProbe): string | undefined {
  const folders = ground.path?.split(':') ?? [''];
  const found = folders.find((folder) => !folder.startsWith('/') || !isUntamperedPlace(folder, ground));
  return found === '' ? '.' : found;
}

/** True if commands can change neither the path's target nor anything on the way there. */
function isUntamperedPlace(path: string, { look, isWritable }: Pick<ProgramProbe, 'look' | 'isWritable'>): boolean {
  let isSettled = true;
  const lookAround = (place: string): PathInspection => {
    isSettled &&= !isWritable(place) && !perProcess.some((folder) => isWithin(place, folder));
    return look(place);
  };
  const { kind } = walkPath(lookAround, path, { lastLink: 'followed' });
  return isSettled && kind !== 'loop';
}

/** Variables with places from which a program or its children load code: libraries, start files, helpers. */
const places = wordSet(
  `LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT LD_DEBUG_OUTPUT DYLD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_FRAMEWORK_PATH
  DYLD_FALLBACK_LIBRARY_PATH GCONV_PATH OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES BASH_ENV ZDOTDIR PERL5LIB PERLLIB
  PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONPYCACHEPREFIX RUBYLIB NODE_PATH LUA_PATH LUA_CPATH CLASSPATH GIT_EXEC_PATH
  GIT_TEMPLATE_DIR GIT_SSH GIT_ASKPASS SSH_ASKPASS GNUPGHOME`,
);

const commandLines = wordSet('EDITOR VISUAL GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF');

/** Variables that hold options, some of which make a program load code. */
const options: Readonly<Record<string, RegExp>> = {
  JAVA_TOOL_OPTIONS: /agent|path/i,
  _JAVA_OPTIONS: /agent|path/i,
  NODE_OPTIONS: /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)\b/,
  PERL5OPT: /\S/,
  RUBYOPT: /\S/,
};

/** A variable through which a program loads code that commands can have written. Relative places are below `cwd`. */
export function tamperedLoadingVariable(variables: EnvironmentVariables, ground: Omit<ProgramProbe, 'path'>) {
  const isSettled = (place: string): boolean =>
    isUntamperedPlace(place.startsWith('/') ? place : `${ground.cwd}/${place}`, ground);
  return Object.keys(variables).find((name) => {
    const value = variables[name] ?? '';
    if (value === '') return false;
    // A command line: bare names are found by the search path, and those in the user's home are the user's.
    const isPathWord = (word: string): boolean => word.includes('/') && !word.startsWith('~');
    if (commandLines.has(name)) return !wordsOf(value).filter(isPathWord).every(isSettled);
    if (Object.hasOwn(options, name)) return options[name]?.test(value) === true && !wordsOf(value).every(isSettled);
    // Git would write there.
    if (name.startsWith('GIT_TRACE')) return value.startsWith('/') && !isSettled(value);
    return places.has(name) && !value.split(/[:;\s]/).every(isSettled);
  });
}

/** Parts of options that may be locations, also directly after their option. A bare name is relative to `cwd`. */
function wordsOf(value: string): readonly string[] {
  return value
    .split(/[\s=:,"']+/)
    .map((word) => (word.startsWith('-') ? (/^-(?:[Ir](?=.)|[^/]*(?=\/))(.*)/.exec(word)?.[1] ?? '') : word))
    .filter((word) => word !== '');
}
