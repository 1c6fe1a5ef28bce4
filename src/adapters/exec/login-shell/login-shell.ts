import type { ShellEnvironmentPolicy } from '../../../core/policy/environment/shell-environment-policy.ts';
import type { ShellEnvironmentRequest } from '../../../ports/commands.ts';
import type { Clock } from '../../../ports/system.ts';
import { parseJsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { inspectEntry, listFolderNames, realPathSoFar } from '../../disk/file-system.ts';
import { makeOwnFolder } from '../../disk/own-files.ts';
import { startProcessGroup } from '../child-process.ts';
import {
  bareEnvironment,
  isShellVariables,
  loadCachedVariables,
  loginShellScript,
  releaseCaptureLock,
  writeCaptureLockOwner,
  takeCaptureLock,
} from './kept-variables.ts';
import type { VariableCachePlace, CachingProgram, CachedVariables, ShellVariables } from './kept-variables.ts';
import type { ChildProcess } from 'node:child_process';
import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';

/** `env`: the process's own variables; the shell gets few of them. */
export interface LoginShellOptions extends CaptureOptions {
  /** Keeps answers for other processes. Absent: they are not kept. */
  readonly folder?: string;
  readonly policy: ShellEnvironmentPolicy;
  readonly secretNames: readonly string[];
  readonly clock: Clock;
}

const freshMs = 60 * 60 * 1000;
const usableMs = 24 * 60 * 60 * 1000;
const noticeMs = 1000;
const limitMs = 10_000;
const lookAgainMs = 50;

type Source =
  | { readonly kind: 'known'; readonly variables: ShellVariables }
  | { readonly kind: 'ours'; readonly answer: Promise<ShellVariables | undefined>; readonly since: number }
  | { readonly kind: 'others'; readonly place: VariableCachePlace; readonly since: number };

/** Variables of the user's login shell: kept by an earlier process, or captured on first need. */
export class LoginShell {
  readonly #options: LoginShellOptions;
  #source: Promise<Source> | undefined;
  #answered: ShellVariables | undefined;
  #told = false;
  #isOpen = false;

  constructor(options: LoginShellOptions) {
    this.#options = options;
  }

  /**
   * Undefined if the shell failed or is too slow (a later call may have the answer), or if commands could write its
   * start-up files before it answered. An answer stays: later writes cannot change it.
   */
  async variables(request: ShellEnvironmentRequest): Promise<ShellVariables | undefined> {
    if (this.#answered !== undefined) return this.#answered;
    if (!this.#mayAsk(request)) return undefined;
    return (this.#answered = await this.#waitFor(request));
  }

  async #waitFor(request: ShellEnvironmentRequest): Promise<ShellVariables | undefined> {
    const { signal, warn } = request;
    const source = await (this.#source ??= this.#find());
    if (source.kind === 'known') return source.variables;
    const { clock, shell } = this.#options;
    const over = new AbortController();
    const waiting = AbortSignal.any([signal, over.signal]);
    const passed = (ms: number) => clock.sleep(Math.max(0, source.since + ms - clock.now()), waiting);
    void passed(noticeMs).then(() => {
      if (waiting.aborted || this.#told) return;
      this.#told = true;
      return warn(slowShell(shell));
    });
    try {
      // Only the timers keep the process alive while it waits, neither the shell nor its answer.
      return await Promise.race([this.#answer(source, waiting), passed(limitMs).then(() => undefined)]);
    } finally {
      over.abort('over');
    }
  }

  #mayAsk({ isWritable, warn }: ShellEnvironmentRequest): boolean {
    if (this.#isOpen || isWritable === undefined) return !this.#isOpen;
    const { shell, home, env } = this.#options;
    const homes = [...new Set([home, env['HOME'] ?? home])];
    const places = homes.map((each) => ({ shell, home: each, zshHome: env['ZDOTDIR'] ?? each }));
    const open = places.map((each) => writableStartupFile(each, isWritable)).find((found) => found !== undefined);
    if (open === undefined) return true;
    this.#isOpen = true;
    warn(isWritable('/') ? openForAll(shell) : openShell(shell, open));
    return false;
  }

  async #answer(source: Exclude<Source, { kind: 'known' }>, waiting: AbortSignal): Promise<ShellVariables | undefined> {
    if (source.kind === 'ours') return source.answer;
    const { place } = source;
    const { clock } = this.#options;
    while (!waiting.aborted) {
      const kept = within(loadCachedVariables(place.folder, place.key), freshMs, clock.now());
      if (kept !== undefined) return kept;
      // The other process may have ended without an answer.
      const lock = await takeCaptureLock(place.folder, place.key, clock.now());
      if (lock === 'taken') return this.#fresh(place) ?? this.#start(place).answer;
      await clock.sleep(lookAgainMs, waiting);
    }
    return undefined;
  }

  async #find(): Promise<Source> {
    const place = this.#place();
    if (place === undefined) return this.#start(undefined);
    const { folder, key } = place;
    const now = this.#options.clock.now();
    const kept = loadCachedVariables(folder, key);
    const fresh = within(kept, freshMs, now);
    if (fresh !== undefined) return { kind: 'known', variables: fresh };
    const lock = await takeCaptureLock(folder, key, now);
    const meanwhile = lock === 'taken' ? this.#fresh(place) : undefined;
    if (meanwhile !== undefined) return { kind: 'known', variables: meanwhile };
    const usable = within(kept, usableMs, now);
    if (usable !== undefined) {
      if (lock === 'taken') this.#start(place);
      return { kind: 'known', variables: usable };
    }
    return typeof lock === 'object' ? { kind: 'others', place, since: lock.since } : this.#start(place);
  }

  /** The answer that another process kept before it released the lock to us, if any. Then gives the lock back. */
  #fresh({ folder, key }: VariableCachePlace): ShellVariables | undefined {
    const variables = within(loadCachedVariables(folder, key), freshMs, this.#options.clock.now());
    if (variables !== undefined) releaseCaptureLock(folder, key);
    return variables;
  }

  #start(place: VariableCachePlace | undefined): Extract<Source, { kind: 'ours' }> {
    const { shell, home, env, program, clock } = this.#options;
    const bare = bareEnvironment(env, { shell, home });
    const { pid, variables } = startCapture({ shell, home, env: bare, program }, place);
    if (place !== undefined) {
      if (pid !== undefined) void writeCaptureLockOwner(place.folder, place.key, pid);
      // If there is an answer, the program at the end of the shell holds the lock until it is kept.
      void variables.then((found) => found === undefined && releaseCaptureLock(place.folder, place.key));
    }
    return { kind: 'ours', answer: variables, since: clock.now() };
  }

  /** Undefined if no answer can or may be kept. A policy that passes secrets on needs them, and they are never kept. */
  #place(): VariableCachePlace | undefined {
    const { shell, home, env, folder, secretNames } = this.#options;
    const { set: _, ...policy } = this.#options.policy;
    if (folder === undefined || policy.ignoreDefaultExcludes || !makeOwnFolder(folder, 'readable')) return undefined;
    const states = startupFileStates({ shell, home, zshHome: env['ZDOTDIR'] ?? home });
    const question = [process.getuid?.() ?? 0, bareEnvironment(env, { shell, home }), states, policy, secretNames];
    return { folder, key: hash('sha256', JSON.stringify(question)), policy, secretNames };
  }
}

/** Accepts an answer of at most that age. A time in the future is not reliable. */
const within = (kept: CachedVariables | undefined, ms: number, now: number): ShellVariables | undefined =>
  kept !== undefined && kept.at <= now && now - kept.at < ms ? kept.variables : undefined;

const notNeeded = 'To turn off this warning, set allow_login_shell = false.';

function openShell(shell: string, { path, isFolder }: WritableStartup): Outcome<'login-shell-writable'> {
  const what = isFolder ? `the folder of its start-up files, ${path}` : `its start-up file ${path}`;
  const message = `Commands run without the variables of your login shell ${shell}: they can write ${what}, and Capstan would run that outside the sandbox.`;
  const next = `To get the variables, start Capstan in another folder, or make that path read-only. ${notNeeded}`;
  return { code: 'login-shell-writable', message, next };
}

function openForAll(shell: string): Outcome<'login-shell-writable'> {
  const message = `Capstan reads no more variables from your login shell ${shell}: this command can write its start-up files, and Capstan would run those outside the sandbox.`;
  const next = `Commands run without the variables until Capstan is started again. ${notNeeded}`;
  return { code: 'login-shell-writable', message, next };
}

function slowShell(shell: string): Outcome<'login-shell-slow'> {
  const message = `The login shell ${shell} takes more than a second to start. The command waits for its variables, up to ${limitMs / 1000} s.`;
  const next = 'Find out what is slow in its start-up files, or set allow_login_shell = false to skip them.';
  return { code: 'login-shell-slow', message, next };
}

interface CaptureOptions {
  readonly shell: string;
  /** Home folder of the user, in which the shell starts: no project can put anything there. */
  readonly home: string;
  readonly env: ShellVariables;
  readonly program: CachingProgram;
}

const mostCharacters = 4_000_000;
/** Time for the answer to arrive after the shell has ended. */
const drainMs = 250;

/**
 * Starts the login shell in a session of its own, which our signals and our end do not reach. Capstan never kills it,
 * because its start-up files may run programs that do not survive that. It keeps no process alive. No `pid`: it could
 * not be started. No variables: it failed. Never rejects.
 */
function startCapture({ shell, home, env, program }: CaptureOptions, place: VariableCachePlace | undefined) {
  try {
    const argv = [shell, '-lc', loginShellScript(program, place)];
    return watch(startProcessGroup({ argv, cwd: home, env }, ['ignore', 'ignore', 'ignore', 'pipe']));
  } catch {
    return { pid: undefined, variables: Promise.resolve(undefined) };
  }
}

function watch(child: ChildProcess) {
  child.unref();
  const { promise: variables, resolve } = Promise.withResolvers<ShellVariables | undefined>();
  child.on('error', () => resolve(undefined));
  const answer = child.stdio[3] as Socket;
  answer.unref();
  const end = (found?: ShellVariables): void => {
    resolve(found);
    answer.destroy();
  };
  let text = '';
  answer.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    // Only one line: a process left by the start-up files may hold the other end open forever.
    if (!text.endsWith('\n') && text.length <= mostCharacters) return;
    const found = parseJsonObject(text);
    end(isShellVariables(found) ? found : undefined);
  });
  answer.on('error', () => end()).on('close', () => end());
  child.on('exit', () => setTimeout(end, drainMs).unref());
  return { pid: child.pid, variables };
}

const ofBash = ['profile', 'bash.bashrc', 'bashrc'];
const ofSystem = [...ofBash, ...'zshenv zprofile zlogin zsh/zshenv zsh/zprofile zsh/zlogin paths'.split(' ')];
const foldersOfSystem = ['/etc/profile.d', '/etc/paths.d'];
const ofUser = ['.profile', '.bash_profile', '.bash_login', '.bashrc'];
const ofZsh = ['.zshenv', '.zprofile', '.zlogin', '.zshrc'];
/** More than any system has: an overgrown folder must not cost time. */
const mostInFolder = 200;
type ShellPlaces = Readonly<Record<'shell' | 'home' | 'zshHome', string>>;

/** States of all files that decide the answer of a login shell; part of the key of a kept answer. */
const startupFileStates = (places: ShellPlaces): readonly string[] =>
  startupFiles(places).map((path) => `${path} ${stateOf(path)}`);

type WritableStartup = { readonly path: string; readonly isFolder: boolean };

function writableStartupFile(places: ShellPlaces, isWritable: (path: string) => boolean): WritableStartup | undefined {
  const folders = [places.home, places.zshHome];
  const path = [...folders, ...startupFiles(places)].find((each) => placesOf(each).some(isWritable));
  return path === undefined ? undefined : { path, isFolder: folders.includes(path) };
}

function startupFiles({ shell, home, zshHome }: ShellPlaces): readonly string[] {
  return [
    shell,
    ...ofSystem.map((name) => `/etc/${name}`),
    ...foldersOfSystem.flatMap(filesIn),
    ...ofUser.map((name) => join(home, name)),
    ...ofZsh.map((name) => join(zshHome, name)),
  ];
}

const mostLinks = 40;

function placesOf(path: string): readonly string[] {
  const places: string[] = [];
  let next: string | undefined = resolve(path);
  while (next !== undefined && places.length < 2 * mostLinks) {
    const place: string = join(realPathSoFar(dirname(next)), basename(next));
    places.push(next, place);
    const entry = inspectEntry(place);
    next = entry.kind === 'link' ? resolve(dirname(place), entry.target) : undefined;
  }
  return places;
}

function filesIn(folder: string): readonly string[] {
  const names = listFolderNames(folder).toSorted().slice(0, mostInFolder);
  return [folder, ...names.map((name) => join(folder, name))];
}

function stateOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return 'missing';
    return `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
  } catch {
    return 'unreadable';
  }
}
