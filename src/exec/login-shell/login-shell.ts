import { createHash } from 'node:crypto';
import { makeOwnFolder } from '../../disk/own-file.ts';
import type { ShellEnvironmentPolicy } from '../../policy/shell-environment-policy.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ShellEnvironmentRequest } from '../../ports/shell-environment.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { bareEnvironment } from './bare-environment.ts';
import { releaseCaptureLock, signCaptureLock, takeCaptureLock } from './capture-lock.ts';
import { type CaptureOptions, startCapture } from './capture.ts';
import type { KeepPlace } from './keep-request.ts';
import { type KeptVariables, loadKept, type ShellVariables } from './kept-variables.ts';
import { startupFileStates, type WritableStartup, writableStartupFile } from './startup-files.ts';

/** `env` has the process's own variables: the shell gets few of them. */
export interface LoginShellOptions extends CaptureOptions {
  /** Where answers are kept for other processes. Absent: nowhere. */
  readonly folder?: string;
  readonly policy: ShellEnvironmentPolicy;
  readonly secretNames: readonly string[];
  readonly clock: Clock;
}

/** For how long a kept answer counts, and for how long it is better than waiting for another. */
const freshMs = 60 * 60 * 1000;
const usableMs = 24 * 60 * 60 * 1000;
/** After this the user learns what a command waits for. */
const noticeMs = 1000;
/** After this a command waits no longer. */
const limitMs = 10_000;
/** How often the answer to another process is looked for. */
const lookAgainMs = 50;

/** Where the answer comes from: it is there, our own shell will give it, or that of another process. */
type Source =
  | { readonly kind: 'known'; readonly variables: ShellVariables }
  | { readonly kind: 'ours'; readonly answer: Promise<ShellVariables | undefined>; readonly since: number }
  | { readonly kind: 'others'; readonly place: KeepPlace; readonly since: number };

/** The variables of the user's login shell: kept by an earlier process, or asked for on first need. */
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
   * Undefined when the shell failed or takes too long, in which case a later call may have the answer; and from the first
   * request on under which commands may write what the shell runs when it starts, if it has not answered by then. An
   * answer stays: what is written later cannot change it.
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
      // The timers hold the process while it waits, and nothing else does: neither the shell nor its answer.
      return await Promise.race([this.#answer(source, waiting), passed(limitMs).then(() => undefined)]);
    } finally {
      over.abort('over');
    }
  }

  #mayAsk({ isWritable, warn }: ShellEnvironmentRequest): boolean {
    if (this.#isOpen || isWritable === undefined) return !this.#isOpen;
    const { shell, home, env } = this.#options;
    const homes = new Set([home, env['HOME'] ?? home]);
    const open = [...homes]
      .map((folder) => writableStartupFile({ shell, home: folder, zshHome: env['ZDOTDIR'] ?? folder }, isWritable))
      .find((found) => found !== undefined);
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
      const kept = within(loadKept(place.folder, place.key), freshMs, clock.now());
      if (kept !== undefined) return kept;
      // The other one may have ended without an answer.
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
    const kept = loadKept(folder, key);
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

  /** What another process has kept just before it let the lock go, which we hold now and give back. */
  #fresh({ folder, key }: KeepPlace): ShellVariables | undefined {
    const variables = within(loadKept(folder, key), freshMs, this.#options.clock.now());
    if (variables !== undefined) releaseCaptureLock(folder, key);
    return variables;
  }

  #start(place: KeepPlace | undefined): Extract<Source, { kind: 'ours' }> {
    const { shell, home, env, program, clock } = this.#options;
    const bare = bareEnvironment(env, { shell, home });
    const { pid, variables } = startCapture({ shell, home, env: bare, program }, place);
    if (place !== undefined) {
      if (pid !== undefined) void signCaptureLock(place.folder, place.key, pid);
      // With an answer the program at the end of the shell has the lock, until the answer is kept.
      void variables.then((found) => found === undefined && releaseCaptureLock(place.folder, place.key));
    }
    return { kind: 'ours', answer: variables, since: clock.now() };
  }

  /** Undefined where nothing can be kept, or must not be: a policy that hands on secrets wants them from the shell, too. */
  #place(): KeepPlace | undefined {
    const { shell, home, env, folder, secretNames } = this.#options;
    const { set: _, ...policy } = this.#options.policy;
    if (folder === undefined || policy.ignoreDefaultExcludes || !makeOwnFolder(folder, 'readable')) return undefined;
    const states = startupFileStates({ shell, home, zshHome: env['ZDOTDIR'] ?? home });
    const question = [process.getuid?.() ?? 0, bareEnvironment(env, { shell, home }), states, policy, secretNames];
    const key = createHash('sha256').update(JSON.stringify(question)).digest('hex');
    return { folder, key, policy, secretNames };
  }
}

/** What was kept for no longer than that. A time that has not come yet is nothing to rely on. */
function within(kept: KeptVariables | undefined, ms: number, now: number): ShellVariables | undefined {
  return kept !== undefined && kept.at <= now && now - kept.at < ms ? kept.variables : undefined;
}

function openShell(shell: string, { path, isFolder }: WritableStartup): Outcome<'login-shell-writable'> {
  const what = isFolder ? `the folder of its start-up files, ${path}` : `its start-up file ${path}`;
  return {
    code: 'login-shell-writable',
    message: `Commands run without the variables of your login shell ${shell}: they can write ${what}, and Capstan would run that outside the sandbox.`,
    next: 'To get the variables, start Capstan in another folder, or make that path read-only. To turn off this warning, set allow_login_shell = false.',
  };
}

/** A command that was let out of the sandbox, but for what it may not read. */
function openForAll(shell: string): Outcome<'login-shell-writable'> {
  return {
    code: 'login-shell-writable',
    message: `Capstan reads no more variables from your login shell ${shell}: this command can write its start-up files, and Capstan would run those outside the sandbox.`,
    next: 'Commands run without the variables until Capstan is started again. To turn off this warning, set allow_login_shell = false.',
  };
}

function slowShell(shell: string): Outcome<'login-shell-slow'> {
  return {
    code: 'login-shell-slow',
    message: `The login shell ${shell} takes more than a second to start. The command waits for its variables, up to ${limitMs / 1000} s.`,
    next: 'Find out what is slow in its start-up files, or set allow_login_shell = false to skip them.',
  };
}
