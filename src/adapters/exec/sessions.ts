import type {
  OutputPauses,
  ProcessEnd,
  ProcessOutput,
  RunningCommand,
  CommandSessionEnd,
  CommandSessionFate,
  CommandSessionInput,
  CommandSessionOutput,
  CommandSessions,
  CommandSpawner,
} from '../../ports/commands.ts';
import type { Clock } from '../../ports/system.ts';
import { lazyThreadFolder } from '../disk/own-files.ts';
import { startStopwatch, startTimeLimit, type Stopwatch } from './command-timing.ts';
import { createOutputBuffer } from './output-buffer.ts';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [lowestId, highestId] = [1000, 99_999];
const mostSessions = 64;
const protectedSessions = 8;
/** Ended sessions that are remembered, so that a call to one can report why it is gone. */
const mostRemembered = 1000;
const [interrupt, endOfInput] = ['\u{3}', '\u{4}'];
/** After an interrupt the process gets this time to end before the answer says that it runs. */
const settleMs = 500;

export interface CommandSessionsOptions {
  readonly spawn: Pick<CommandSpawner, 'start'>;
  readonly clock: Clock;
  readonly logs: ReturnType<typeof createCommandSessionLogs>;
  random(): number;
}

export function createCommandSessions({ spawn, clock, logs, random }: CommandSessionsOptions): CommandSessions {
  const table = new Map<number, LiveSession>();
  const fates = new Map<number, CommandSessionFate>();
  let uses = 0;

  const use = (session: LiveSession): void => void (session.lastUse = ++uses);

  function freeId(): number {
    let id = lowestId + Math.floor(random() * (highestId - lowestId + 1));
    while (table.has(id) || fates.has(id)) id = id === highestId ? lowestId : id + 1;
    return id;
  }

  function remember(id: number, fate: CommandSessionFate): void {
    table.delete(id);
    fates.delete(id);
    fates.set(id, fate);
    const [oldest = id] = fates.keys();
    if (fates.size > mostRemembered) fates.delete(oldest);
  }

  function prune(): readonly number[] {
    if (table.size < mostSessions) return [];
    const oldest = [...table].toSorted(([, a], [, b]) => a.lastUse - b.lastUse).slice(0, -protectedSessions);
    const free = oldest.filter(([, { waiting }]) => waiting === 0);
    const [id, session] = free.find(([, { end }]) => end !== undefined) ?? free[0] ?? [];
    if (id === undefined || session === undefined) return [];
    remember(id, 'pruned');
    void session.kill('pruned');
    return [id];
  }

  function newsOf(id: number, session: LiveSession, durationMs: number): CommandSessionOutput {
    const { end, log } = session;
    const said = { output: session.read(), durationMs, log: log?.path };
    if (end === undefined) return { kind: 'running', ...said };
    const { exitCode, fate } = end;
    remember(id, fate);
    return { kind: 'ended', exitCode, fate, ...said };
  }

  return {
    async run(command, { input, yieldMs, timeoutMs, pauses }, { signal, started, output }) {
      const watch = startStopwatch(clock, pauses);
      if (signal.aborted) {
        await command.cleanup();
        return { kind: 'aborted', output: { text: '', totalBytes: 0 }, durationMs: 0 };
      }
      const session = new LiveSession(watch);
      const hear = (bytes: Uint8Array): void => {
        session.hear(bytes);
        output?.(bytes);
      };
      const running = await spawn.start(command, { input, output: hear, started });
      if (running.kind === 'not-started') return running;
      session.runs(running);
      if (timeoutMs !== undefined) session.limit(timeoutMs, pauses);
      const quiet = input === 'closed' ? 'never' : 'prompt';
      await session.wait({ milliseconds: yieldMs, quiet, signal, pauses });
      if (session.end === undefined && signal.aborted) await session.kill('closed');
      if (session.end !== undefined || signal.aborted) return endOf(session, signal.aborted);
      const pruned = prune();
      const id = freeId();
      session.keepIn(logs.open(id));
      table.set(id, session);
      use(session);
      running.unref();
      const { ended, log, said } = session;
      const read = { output: session.read(), durationMs: watch.elapsed(), log: log?.path };
      return { kind: 'yielded', session: { id, ended, said }, ...read, pruned };
    },

    async write(id, asked, signal) {
      const session = table.get(id);
      if (session === undefined) return { kind: 'no-session', fate: fates.get(id) };
      use(session);
      return session.alone(async () => {
        // The session may have been dropped while this call waited.
        if (!table.has(id)) return { kind: 'no-session', fate: fates.get(id) } as const;
        const begun = clock.now();
        if (session.end === undefined && asked.text !== '' && !feed(session, asked)) return { kind: 'input-closed' };
        const quiet = asked.text === '' ? 'any' : 'prompt';
        const isInterrupt = asked.text === interrupt;
        const milliseconds = isInterrupt ? Math.max(asked.waitMs, settleMs) : asked.waitMs;
        await session.wait({ milliseconds, quiet: isInterrupt ? 'never' : quiet, signal });
        use(session);
        return newsOf(id, session, Math.max(0, clock.now() - begun));
      });
    },

    runs: () => [...table.values()].some(({ end }) => end === undefined),

    resize: (id, size) => table.get(id)?.command?.resize(size),

    async end(id, fate) {
      const session = table.get(id);
      if (session === undefined) return;
      remember(id, fate);
      await session.kill(fate);
    },

    remember,

    async close() {
      await Promise.all([...table.keys()].map((id) => this.end(id, 'closed')));
      logs.close();
    },
  };
}

function feed({ command }: LiveSession, { text }: CommandSessionInput): boolean {
  if (text === interrupt) command?.interrupt();
  else if (text === endOfInput) command?.closeInput();
  else return command?.write(new TextEncoder().encode(text)) === true;
  return true;
}

function endOf(session: LiveSession, isAborted: boolean): ProcessEnd {
  const told = { output: session.read(), durationMs: session.watch.elapsed() };
  const { exitCode, fate } = session.end ?? {};
  if (exitCode !== undefined) return { kind: 'exited', exitCode, ...told };
  return { kind: fate === 'timed-out' && !isAborted ? 'timed-out' : 'aborted', ...told };
}

/** Limit for held output: its first and last half are kept. */
const heldBytes = 1024 * 1024;
const quietMs = 250;
const newline = 10;

interface WaitOptions {
  readonly milliseconds: number;
  /** Reasons to stop waiting before the end: any output, or a line that looks like a question. */
  readonly quiet: 'any' | 'prompt' | 'never';
  readonly pauses?: OutputPauses;
  readonly signal: AbortSignal;
}

class LiveSession {
  command: RunningCommand | undefined;
  log: SessionLog | undefined;
  end: CommandSessionEnd | undefined;
  lastUse = 0;
  waiting = 0;
  readonly watch: Stopwatch;
  readonly #whole = createOutputBuffer(heldBytes);
  readonly #listeners = new Set<() => void>();
  #unread = createOutputBuffer(heldBytes);
  #unreadBytes = 0;
  #lastByte = newline;
  #fate: CommandSessionFate | undefined;
  #busy: Promise<unknown> = Promise.resolve();
  readonly #ending = Promise.withResolvers<CommandSessionEnd>();
  readonly ended = this.#ending.promise;
  readonly said = (): ProcessOutput => this.#whole.result();

  constructor(watch: Stopwatch) {
    this.watch = watch;
  }

  runs(command: RunningCommand): void {
    this.command = command;
    void command.over.then(async () => this.#settle(await command.exited));
  }

  #settle(exitCode?: number): void {
    if (this.end !== undefined) return;
    const told = { output: this.said(), durationMs: this.watch.elapsed() };
    this.end = { ...(this.#fate === undefined ? { fate: 'exited', exitCode } : { fate: this.#fate }), ...told };
    this.watch.end();
    this.log?.end();
    this.#ending.resolve(this.end);
    this.#wake();
  }

  hear(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#whole.add(bytes);
    this.#unread.add(bytes);
    this.log?.add(bytes);
    this.#unreadBytes += bytes.length;
    this.#lastByte = bytes.at(-1) as number;
    this.#wake();
  }

  /** From now on output goes into the file, with the earlier output that is still held. */
  keepIn(log: SessionLog | undefined): void {
    if (this.end !== undefined) return log?.end();
    this.log = log;
    log?.add(new TextEncoder().encode(this.said().text));
  }

  /** Ends the process. Only the first reason counts. */
  async kill(fate: CommandSessionFate): Promise<void> {
    this.#fate ??= fate;
    await this.command?.end();
    // Also if a process survives the kill: its output is not read any more.
    this.#settle();
  }

  limit(milliseconds: number, pauses: OutputPauses | undefined): void {
    const stop = startTimeLimit(milliseconds, pauses, () => void this.kill('timed-out'));
    void this.ended.then(stop);
  }

  read(): ProcessOutput {
    const output = this.#unread.result();
    this.#unread = createOutputBuffer(heldBytes);
    this.#unreadBytes = 0;
    return output;
  }

  /** Runs one piece of work at a time. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    this.waiting += 1;
    const result = this.#busy.then(work);
    this.#busy = result.catch(() => {});
    return result.finally(() => (this.waiting -= 1));
  }

  /** Resolves when it has ended, is quiet, its time is over, or the signal aborts. */
  wait({ milliseconds, quiet, pauses, signal }: WaitOptions): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = quiet === 'any' ? 0 : this.#unreadBytes;
    const outer = AbortSignal.any([signal]);
    let timer: NodeJS.Timeout | undefined;
    const isAsking = (): boolean => {
      if (this.#unreadBytes <= before || quiet === 'never') return false;
      return quiet === 'any' || this.#lastByte !== newline;
    };
    const look = (): void => {
      clearTimeout(timer);
      if (this.end !== undefined || outer.aborted) resolve();
      else if (isAsking()) timer = setTimeout(resolve, quietMs);
    };
    const stop = startTimeLimit(milliseconds, pauses, resolve);
    this.#listeners.add(look);
    outer.addEventListener('abort', look);
    look();
    return promise.finally(() => {
      stop();
      clearTimeout(timer);
      this.#listeners.delete(look);
      outer.removeEventListener('abort', look);
    });
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }
}

const mostBytes = 16 * 1024 * 1024;
/** Files of ended sessions are removed for new ones. */
const mostFiles = 64;
type SessionLog = ReturnType<typeof logInto>;

/** `folder`: commands may read but not write in it. */
export function createCommandSessionLogs(folder: string) {
  const own = lazyThreadFolder(folder);
  const paths: string[] = [];
  return {
    /** Undefined if the disk refuses: the session works without a log. */
    open(id: number): SessionLog | undefined {
      try {
        const path = join(own.path(), `${id}.log`);
        const file = openSync(path, 'ax', 0o600);
        paths.push(path);
        if (paths.length > mostFiles) rmSync(paths.shift() as string, { force: true });
        return logInto(file, path);
      } catch {
        return undefined;
      }
    },
    close: () => own.remove(),
  };
}

function logInto(file: number, path: string) {
  let left = mostBytes;
  let isOpen = true;
  /** The file stays until the thread closes. */
  const end = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  return {
    path,
    add(bytes: Uint8Array): void {
      if (!isOpen || left === 0) return;
      const part = bytes.subarray(0, left);
      left -= part.length;
      try {
        writeSync(file, part);
        if (left === 0) writeSync(file, `\n[Capstan keeps the first ${mostBytes} bytes.]\n`);
      } catch {
        end();
      }
    },
    end,
  };
}
