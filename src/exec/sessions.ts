import type { Clock } from '../ports/clock.ts';
import type { NoSession, SessionFate, SessionInput, SessionNews, Sessions } from '../ports/sessions.ts';
import type { ProcessEnd, Spawn } from '../ports/spawn.ts';
import { defined } from '../protocol/defined.ts';
import { LiveSession } from './live-session.ts';
import type { SessionLogs } from './session-log.ts';
import { startStopwatch } from './stopwatch.ts';

const [lowestId, highestId] = [1000, 99_999];
const mostSessions = 64;
/** So many that were used last are not ended for new ones. */
const protectedSessions = 8;
/** How many sessions that are over are remembered, so that the answer to a call that names one says why. */
const mostRemembered = 1000;
const [interrupt, endOfInput] = ['\u{3}', '\u{4}'];
/** After an interrupt the process gets at least so long to end before the answer says that it runs. */
const settleMs = 500;

export interface SessionsOptions {
  readonly spawn: Pick<Spawn, 'start'>;
  readonly clock: Clock;
  readonly logs: SessionLogs;
  /** From 0 up to but not including 1. */
  random(): number;
}

/** The table of one thread's sessions. */
export function createSessions({ spawn, clock, logs, random }: SessionsOptions): Sessions {
  const table = new Map<number, LiveSession>();
  const fates = new Map<number, SessionFate>();
  let uses = 0;

  const use = (session: LiveSession): void => void (session.lastUse = ++uses);

  function freeId(): number {
    let id = lowestId + Math.floor(random() * (highestId - lowestId + 1));
    while (table.has(id) || fates.has(id)) id = id === highestId ? lowestId : id + 1;
    return id;
  }

  function remember(id: number, fate: SessionFate): void {
    table.delete(id);
    fates.delete(id);
    fates.set(id, fate);
    for (const old of [...fates.keys()].slice(0, Math.max(0, fates.size - mostRemembered))) fates.delete(old);
  }

  /** Makes space for one more. One that a call works with is left alone. */
  function prune(): readonly number[] {
    if (table.size < mostSessions) return [];
    const oldest = [...table].toSorted(([, a], [, b]) => a.lastUse - b.lastUse).slice(0, -protectedSessions);
    const free = oldest.filter(([, session]) => !session.isBusy);
    const [id, session] = free.find(([, { end }]) => end !== undefined) ?? free[0] ?? [];
    if (id === undefined || session === undefined) return [];
    remember(id, 'pruned');
    void session.kill('pruned');
    return [id];
  }

  function newsOf(id: number, session: LiveSession, durationMs: number): SessionNews {
    const { end, log } = session;
    const said = { output: session.read(), durationMs, ...defined({ log }) };
    if (end === undefined) return { kind: 'running', ...said };
    remember(id, end.fate);
    return { kind: 'ended', ...defined({ exitCode: end.exitCode }), fate: end.fate, ...said };
  }

  return {
    async run(command, { input, yieldMs, timeoutMs, pauses }, { signal, started, output }) {
      const watch = startStopwatch(clock, pauses);
      const nothing = { output: { text: '', totalBytes: 0 }, durationMs: 0 };
      if (signal.aborted) {
        await command.cleanup();
        return { kind: 'aborted', ...nothing };
      }
      const session = new LiveSession(watch);
      const hear = (bytes: Uint8Array): void => {
        session.hear(bytes);
        output?.(bytes);
      };
      const running = await spawn.start(command, { input, output: hear, ...defined({ started }) });
      if (running.kind === 'not-started') return running;
      session.runs(running);
      if (timeoutMs !== undefined) session.limit(timeoutMs, pauses);
      const quiet = input === 'closed' ? 'never' : 'prompt';
      await session.wait({ milliseconds: yieldMs, quiet, signal, ...defined({ pauses }) });
      if (session.end === undefined && signal.aborted) await session.kill('closed');
      const { end } = session;
      if (end !== undefined || signal.aborted) return endOf(session, signal.aborted);
      const pruned = prune();
      const id = freeId();
      session.keepIn(logs.open(id));
      table.set(id, session);
      use(session);
      session.unref();
      const { ended, log } = session;
      const said = { output: session.read(), durationMs: session.elapsed(), ...defined({ log }) };
      return { kind: 'yielded', session: { id, ended, said: () => session.said() }, ...said, pruned };
    },

    async write(id, asked, signal) {
      const session = table.get(id);
      if (session === undefined) return { kind: 'no-session', ...defined({ fate: fates.get(id) }) };
      use(session);
      return session.alone(async () => {
        // It may have been dropped while this call waited.
        if (!table.has(id)) return { kind: 'no-session', ...defined({ fate: fates.get(id) }) } satisfies NoSession;
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

    resize: (id, size) => table.get(id)?.resize(size),

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

function feed(session: LiveSession, { text }: SessionInput): boolean {
  if (text === interrupt) session.interrupt();
  else if (text === endOfInput) session.closeInput();
  else return session.write(text);
  return true;
}

function endOf(session: LiveSession, isAborted: boolean): ProcessEnd {
  const told = { output: session.read(), durationMs: session.elapsed() };
  const { exitCode, fate } = session.end ?? {};
  if (exitCode !== undefined) return { kind: 'exited', exitCode, ...told };
  return { kind: fate === 'timed-out' && !isAborted ? 'timed-out' : 'aborted', ...told };
}
