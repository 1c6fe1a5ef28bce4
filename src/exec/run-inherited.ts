import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { RunnableCommand } from '../ports/sandbox.ts';
import { handOver } from './hand-over.ts';
import { startFailure } from './start-failure.ts';

/** How a command ended that had the streams of this process. */
export type InheritedEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not-started'; readonly reason: string };

const notHandedOver = 'The sandbox ended before it started the command: the proxy for its network could not be set up.';

const forwarded = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;

/** Runs a command with the standard streams of this process, and hands on the signals that this process gets. Never rejects. */
export async function runInherited(command: RunnableCommand): Promise<InheritedEnd> {
  const [program = '', ...parameters] = command.argv;
  try {
    const child = spawn(program, parameters, {
      cwd: command.cwd,
      env: command.env,
      stdio: [
        ...(['inherit', 'inherit', 'inherit'] as const),
        ...command.files.map(() => 'pipe' as const),
        ...(command.handover === undefined ? [] : (['ipc'] as const)),
      ],
    });
    return await ended(child, command);
  } catch (error) {
    // Arguments that no system accepts, such as a NUL byte, throw before anything is tried.
    return { kind: 'not-started', reason: startFailure(command, error) };
  } finally {
    await command.cleanup();
  }
}

function ended(child: ChildProcess, command: RunnableCommand): Promise<InheritedEnd> {
  for (const [index, file] of command.files.entries()) {
    const stream = child.stdio[3 + index] as Writable;
    // The child may close a file before it has read all of it.
    stream.on('error', () => {});
    stream.end(file);
  }
  const { handover } = command;
  let isHandedOver = handover === undefined;
  if (handover !== undefined) {
    const received = (handle: unknown, index: number): void => {
      isHandedOver ||= index === 0;
      handover.received(handle, index);
    };
    handOver(child, { ...handover, received });
  }
  // A terminal sends this one to every process of the group by itself.
  const isOnTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const handlers = forwarded.map((name) => {
    const forward = (): void => void ((name === 'SIGINT' || name === 'SIGQUIT') && isOnTerminal ? 0 : child.kill(name));
    process.on(name, forward);
    return () => process.off(name, forward);
  });
  return new Promise<InheritedEnd>((resolve) => {
    child.on('error', (error) => resolve({ kind: 'not-started', reason: startFailure(command, error) }));
    child.on('exit', (code, signal) => {
      // Whatever the code is, it is not that of the command.
      if (!isHandedOver && signal === null) resolve({ kind: 'not-started', reason: notHandedOver });
      else resolve(signal === null ? { kind: 'exited', exitCode: code ?? 1 } : { kind: 'signalled', signal });
    });
  }).finally(() => {
    for (const stop of handlers) stop();
  });
}
