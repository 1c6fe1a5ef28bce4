import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../ports/clock.ts';
import type { RunnableCommand } from '../ports/sandbox.ts';
import type { StartedProcess } from '../ports/processes.ts';
import type { ProcessEnd, Spawn, SpawnLimits } from '../ports/spawn.ts';
import { type InheritedDoors, inheritedDoors } from './processes/inherited-descriptors.ts';
import { handOver } from './hand-over.ts';
import { createOutputBuffer } from './output-buffer.ts';
import { type PipeStock, pipeStockOf } from './pipe-stock.ts';
import { type ProcessGroup, trackGroup } from './processes/process-group.ts';
import { identifyProcess } from './processes/process-identity.ts';
import { startFailure } from './start-failure.ts';
import { startStopwatch } from './stopwatch.ts';
import { startTimeLimit } from './time-limit.ts';
import { guard } from './warden.ts';
import { markName } from './warden-script.ts';

/** How long a killed command may tidy up. */
const graceMs = 500;
/** How long output may stay open after the command ended, because a process it left behind holds it. */
const drainMs = 250;

/** The clock measures durations; time limits run on real time. No command may write in the folder of pipes' names. */
export function createNodeSpawn({ clock, runFolder }: { clock: Clock; runFolder: string }): Spawn {
  const pipes = pipeStockOf(runFolder);
  return {
    async run(command, limits, { signal, started, output: onOutput }) {
      const watch = startStopwatch(clock, limits.pauses);
      const output = createOutputBuffer(limits.outputBytes);
      const told = () => ({ output: output.result(), durationMs: watch.elapsed() });
      let running: Running | NotStarted | undefined;
      try {
        running = signal.aborted ? undefined : await start(command, pipes, inheritedDoors());
        if (running === undefined) return { kind: 'aborted', ...told() };
        if (running.kind === 'not-started') return running;
        running.onOutput((bytes) => output.add(bytes));
        if (onOutput !== undefined) running.onOutput(onOutput);
        if (started !== undefined) void tellStarted(running, started);
        const cause = await firstOf(running.exited, limits, signal);
        if (cause !== 'exited') {
          await killTree(running);
          return { kind: cause, ...told() };
        }
        await drain(running);
        return { kind: 'exited', exitCode: await running.exited, ...told() };
      } finally {
        watch.end();
        if (running?.kind === 'running') running.close();
        await command.cleanup();
      }
    },
  };
}

type NotStarted = Extract<ProcessEnd, { kind: 'not-started' }>;

interface Running {
  readonly kind: 'running';
  readonly pid: number;
  readonly mark: string;
  readonly group: ProcessGroup;
  /** Whether `close` was called. */
  over: boolean;
  /** The exit code; 128 plus its number when a signal ended the command. */
  readonly exited: Promise<number>;
  /** No process holds the output open any more, and all of it has been read. */
  readonly outputEnded: Promise<unknown>;
  onOutput(listener: (bytes: Uint8Array) => void): void;
  close(): void;
}

async function start(command: RunnableCommand, pipes: PipeStock, doors: InheritedDoors): Promise<Running | NotStarted> {
  const pipe = await pipes();
  const write = pipe?.writeEnd ?? 'pipe';
  const guarded = guard(doors);
  const fail = (error: unknown): NotStarted => {
    guarded.ended();
    if (pipe !== undefined) closeSync(pipe.readEnd);
    return { kind: 'not-started', reason: startFailure(command, error) };
  };
  let child: ChildProcess;
  try {
    const [program = '', ...parameters] = command.argv;
    child = spawn(program, parameters, {
      cwd: command.cwd,
      env: { ...command.env, [markName]: guarded.mark },
      detached: true,
      stdio: doors.shut([
        'ignore',
        write,
        write,
        ...command.files.map(() => 'pipe' as const),
        ...(command.handover === undefined ? [] : (['ipc'] as const)),
      ]),
    });
    if (child.pid !== undefined) guarded.started(child.pid);
  } catch (error) {
    // Arguments that no system accepts, such as a NUL byte, throw before anything is tried.
    return fail(error);
  } finally {
    // Ours must go, or the output would never end.
    if (pipe !== undefined) closeSync(pipe.writeEnd);
  }
  const exited = new Promise<number>((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal as NodeJS.Signals]));
  });
  const failure = await new Promise<Error | undefined>((resolve) => {
    child.once('spawn', () => resolve(undefined)).on('error', resolve);
  });
  if (failure !== undefined) return fail(failure);
  const piped = pipe && new Socket({ fd: pipe.readEnd, readable: true, writable: false });
  const outputs = (piped === undefined ? [child.stdout, child.stderr] : [piped]) as readonly Readable[];
  const outputEnded = Promise.all(outputs.map(closed));
  const extra = child.stdio.slice(3, 3 + command.files.length) as readonly Writable[];
  for (const [index, stream] of extra.entries()) {
    // The child may close a file before it has read all of it.
    stream.on('error', () => {});
    stream.end(command.files[index]);
  }
  if (command.handover !== undefined) handOver(child, command.handover);
  const pid = child.pid as number;
  const group = trackGroup(pid);
  const running: Running = {
    kind: 'running',
    pid,
    mark: guarded.mark,
    group,
    over: false,
    exited,
    outputEnded,
    onOutput(listener) {
      for (const stream of outputs) stream.on('data', listener);
    },
    close() {
      running.over = true;
      for (const stream of [...outputs, ...extra]) stream.destroy();
      if (child.connected) child.disconnect();
      group.release();
      guarded.ended();
    },
  };
  return running;
}

/** Reports by what the process can be known again; not after its end, when no listener is left. */
async function tellStarted(running: Running, onStarted: (process: StartedProcess) => void): Promise<void> {
  const startedAt = await identifyProcess(running.pid);
  if (startedAt !== undefined && !running.over) onStarted({ pid: running.pid, startedAt, mark: running.mark });
}

/** Settles when the stream is closed, whatever happens to it before. */
function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => void stream.on('error', () => {}).on('close', resolve));
}

function firstOf(
  exited: Promise<unknown>,
  { timeoutMs, pauses }: SpawnLimits,
  outer: AbortSignal,
): Promise<'exited' | 'timed-out' | 'aborted'> {
  // Many commands may run under one signal, and Node warns when it counts more than ten listeners on it.
  const signal = AbortSignal.any([outer]);
  return new Promise((resolve) => {
    const onAbort = () => finish('aborted');
    const endLimit = startTimeLimit(timeoutMs, pauses, () => finish('timed-out'));
    function finish(cause: 'exited' | 'timed-out' | 'aborted'): void {
      endLimit();
      signal.removeEventListener('abort', onAbort);
      resolve(cause);
    }
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    void exited.then(() => finish('exited'));
  });
}

/** The command ended by itself. What it left behind keeps running only if it does not hold the output. */
async function drain(running: Running): Promise<void> {
  if (await settlesWithin(running.outputEnded, drainMs)) return;
  running.group.signal('SIGKILL');
  await settlesWithin(running.outputEnded, drainMs / 5);
}

async function killTree(running: Running): Promise<void> {
  running.group.signal('SIGTERM');
  for (let waited = 0; waited < graceMs && running.group.isAlive(); waited += 20) await pause(20);
  if (running.group.isAlive()) running.group.signal('SIGKILL');
  // A process that hangs inside the kernel survives even this; the caller must not wait for it.
  await settlesWithin(Promise.all([running.exited, running.outputEnded]), drainMs);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function settlesWithin(event: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  try {
    return await Promise.race([event.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
