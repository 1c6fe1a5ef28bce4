import type { ProgramEnd, RunProgram } from '../../ports/commands.ts';
import type { RunnableCommand } from '../../ports/sandbox.ts';
import {
  exitCodeOf,
  extraStreams,
  sendHandover,
  writeFilesToPipes,
  describeStartFailure,
  type GroupCommand,
  startProcessGroup,
} from './child-process.ts';
import { sleepFor } from './command-timing.ts';
import { leftoverProcessEnder } from './leftover-processes.ts';
import { createOutputBuffer } from './output-buffer.ts';
import { superviseCommand, type ProcessGroup, trackProcessGroup } from './process-guard.ts';
import { signalProcess } from '../disk/processes.ts';
import { type ChildProcess, execFile, spawn, type StdioOptions } from 'node:child_process';

export type InheritedRunResult =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not-started'; readonly reason: string };

const notHandedOver = 'The sandbox ended before it started the command: the proxy for its network could not be set up.';
const forwarded = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;

/** Runs a command with the standard streams of this process and forwards its signals. Never rejects. */
export async function runWithOwnStreams(command: RunnableCommand): Promise<InheritedRunResult> {
  const { argv, cwd, env } = command;
  const [program = '', ...parameters] = argv;
  try {
    const stdio: StdioOptions = ['inherit', 'inherit', 'inherit', ...extraStreams(command)];
    return await ended(spawn(program, parameters, { cwd, env, stdio }), command);
  } catch (error) {
    // Arguments that no system accepts, such as a NUL byte, throw at once.
    return { kind: 'not-started', reason: describeStartFailure(command, error) };
  } finally {
    await command.cleanup();
  }
}

function ended(child: ChildProcess, command: RunnableCommand): Promise<InheritedRunResult> {
  writeFilesToPipes(child, command.files);
  const { handover } = command;
  let isHandedOver = handover === undefined;
  const received = (handle: unknown, index: number): void => {
    isHandedOver ||= index === 0;
    handover?.received(handle, index);
  };
  if (handover !== undefined) sendHandover(child, { ...handover, received });
  // On Ctrl+C the terminal signals the whole group itself: forwarding it would send it twice.
  const isOnTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const handlers = forwarded.map((name) => {
    const forward = (): void => void ((name === 'SIGINT' || name === 'SIGQUIT') && isOnTerminal ? 0 : child.kill(name));
    process.on(name, forward);
    return () => process.off(name, forward);
  });
  return new Promise<InheritedRunResult>((resolve) => {
    child.on('error', (error) => resolve({ kind: 'not-started', reason: describeStartFailure(command, error) }));
    child.on('exit', (code, signal) => {
      // The sandbox ended before it started the command, so this is not the command's exit code.
      if (!isHandedOver && signal === null) resolve({ kind: 'not-started', reason: notHandedOver });
      else resolve(signal === null ? { kind: 'exited', exitCode: code ?? 1 } : { kind: 'signalled', signal });
    });
  }).finally(() => {
    for (const stop of handlers) stop();
  });
}

const graceMs = 300;
/** How long output may stay open after the program ended: a process that it left may hold the pipe. */
const drainMs = 250;

export const runWithInput: RunProgram = (program, { signal: outer, timeoutMs, outputBytes }) =>
  new Promise<ProgramEnd>((resolve) => {
    if (outer.aborted) return resolve({ kind: 'aborted' });
    const [stdout, stderr] = [createOutputBuffer(outputBytes), createOutputBuffer(outputBytes)];
    const guarded = superviseCommand();
    const signal = AbortSignal.any([outer]);
    let group: ProcessGroup | undefined;
    let limit: NodeJS.Timeout | undefined;
    let [isOver, isKilled] = [false, false];
    const finish = (end: ProgramEnd): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(limit);
      signal.removeEventListener('abort', abort);
      group?.release();
      guarded.ended();
      resolve(end);
    };
    const kill = async (end: ProgramEnd): Promise<void> => {
      isKilled = true;
      group?.signal('SIGTERM');
      for (let waited = 0; waited < graceMs && group?.isAlive() === true; waited += 20) await sleepFor(20);
      group?.signal('SIGKILL');
      // Also ends processes that left the group: they are found by the mark in their environment.
      if (group !== undefined) await leftoverProcessEnder.end({ pid: group.leader, startedAt: '', mark: guarded.mark });
      finish(end);
    };
    const abort = (): void => void kill({ kind: 'aborted' });
    try {
      const child = guarded.start(program, ['pipe', 'pipe', 'pipe']);
      child.on('error', (error) => finish({ kind: 'not-started', reason: describeStartFailure(program, error) }));
      if (child.pid === undefined) return;
      guarded.started(child.pid);
      group = trackProcessGroup(child.pid);
      child.stdout?.on('data', (bytes: Uint8Array) => stdout.add(bytes));
      child.stderr?.on('data', (bytes: Uint8Array) => stderr.add(bytes));
      // It may end before it has read all of its input.
      child.stdin?.on('error', () => {});
      child.stdin?.end(program.input);
      limit = setTimeout(() => void kill({ kind: 'timed-out' }), timeoutMs);
      signal.addEventListener('abort', abort, { once: true });
      const ended = (code: number | null, name: NodeJS.Signals | null): void => {
        if (isKilled) return;
        const exitCode = exitCodeOf(code, name);
        const out = stdout.result();
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
        const isCut = out.totalBytes > outputBytes;
        finish({ kind: 'exited', exitCode, stdout: out.text, stderr: stderr.result().text, isCut });
      };
      child.on('close', ended);
      child.on('exit', (code, name) => setTimeout(() => ended(code, name), drainMs).unref());
    } catch (error) {
      finish({ kind: 'not-started', reason: describeStartFailure(program, error) });
    }
  });

interface UserProgramOptions extends Pick<GroupCommand, 'cwd' | 'env'> {
  /** A program that runs longer has failed, and is ended. */
  readonly timeoutMs: number;
}

const feedGraceMs = 300;

/**
 * Returns whether a program of the user took the text. Processes that it leaves keep running: a clipboard may live in
 * one. A hanging program is killed, and does not keep this process alive.
 */
export function feedProgram(argv: readonly string[], options: UserProgramOptions & { readonly input: string }) {
  const { cwd, env, input, timeoutMs } = options;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let child: ChildProcess;
  try {
    child = startProcessGroup({ argv, cwd, env }, ['pipe', 'ignore', 'ignore']);
  } catch {
    return Promise.resolve(false);
  }
  const kill = (): void => signalGroup(child, 'SIGKILL');
  const giveUp = (): void => {
    kill();
    resolve(false);
  };
  const timers = [
    setTimeout(() => signalGroup(child, 'SIGTERM'), timeoutMs),
    setTimeout(giveUp, timeoutMs + feedGraceMs),
  ];
  process.once('exit', kill);
  for (const timer of timers) timer.unref();
  child.unref();
  (child.stdin as unknown as { unref(): void } | null)?.unref();
  child.on('error', () => resolve(false));
  child.on('exit', (code) => resolve(code === 0));
  // Ignored: if the program does not read its input, its end tells.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return promise.finally(() => {
    process.off('exit', kill);
    for (const timer of timers) clearTimeout(timer);
  });
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid !== undefined && exitCode === null && signalCode === null) signalProcess(-pid, signal);
}

/** Output of a program of the user, as bytes. Undefined if it failed, took too long, or printed too much. */
export function readOutput(argv: readonly string[], settings: UserProgramOptions & { readonly mostBytes: number }) {
  const [program = '', ...args] = argv;
  const { cwd, env, timeoutMs, mostBytes } = settings;
  return new Promise<Buffer | undefined>((resolve) => {
    const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: mostBytes } as const;
    const options = { cwd, env, ...limits, encoding: 'buffer', windowsHide: true } as const;
    const child = execFile(program, args, options, (error, stdout) => resolve(error === null ? stdout : undefined));
    child.stdin?.end();
  });
}
