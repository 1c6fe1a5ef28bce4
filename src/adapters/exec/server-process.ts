import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import type { ServerCommand, ServerProcess, ServerProcessWatch, StartServerProcess } from '../../ports/mcp-servers.ts';
import { inheritedDescriptors, sendHandover, startFailure } from './child-process.ts';
import { guardCommand, trackProcessGroup } from './process-guard.ts';
import { commandMarkVariable } from './leftover-processes.ts';

const graceMs = 500;
const mostErrorBytes = 8000;

/**
 * Starts a program with pipes for all three streams. Like commands, it leads a process group registered with the
 * warden.
 */
export const startServerProcess: StartServerProcess = async (command, watch) => {
  const doors = inheritedDescriptors();
  const guarded = guardCommand(doors);
  const { files = [], handover } = command;
  const failed = async (error: unknown) => {
    guarded.ended();
    await command.cleanup?.();
    return { kind: 'not-started', reason: startFailure(command, error) } as const;
  };
  let child: ChildProcess;
  try {
    const [program = '', ...parameters] = command.argv;
    child = spawn(program, parameters, {
      cwd: command.cwd,
      env: { ...command.env, [commandMarkVariable]: guarded.mark },
      detached: true,
      stdio: doors.shut([
        ...(['pipe', 'pipe', 'pipe'] as const),
        ...files.map(() => 'pipe' as const),
        ...(handover === undefined ? [] : (['ipc'] as const)),
      ]),
    });
  } catch (error) {
    return failed(error);
  }
  const failure = await new Promise<Error | undefined>((resolve) => {
    child.once('spawn', () => resolve(undefined)).on('error', resolve);
  });
  if (failure !== undefined || child.pid === undefined) return failed(failure);
  guarded.started(child.pid);
  hand(child, files);
  if (handover !== undefined) sendHandover(child, handover);
  return running(child, child.pid, watch, async () => {
    guarded.ended();
    if (child.connected) child.disconnect();
    await command.cleanup?.();
  });
};

function hand(child: ChildProcess, files: NonNullable<ServerCommand['files']>): void {
  for (const [index, content] of files.entries()) {
    const stream = child.stdio[3 + index] as Writable;
    // The child may close a file before it has read all of it.
    stream.on('error', () => {});
    stream.end(content);
  }
}

function running(
  child: ChildProcess,
  pid: number,
  watch: ServerProcessWatch,
  over: () => Promise<void>,
): ServerProcess {
  const group = trackProcessGroup(pid);
  const ended = Promise.withResolvers<void>();
  let errors = Buffer.alloc(0);
  let isOver = false;
  child.stdin?.on('error', () => {});
  child.stdout?.on('error', () => {}).on('data', (bytes: Buffer) => watch.output(bytes));
  child.stderr
    ?.on('error', () => {})
    .on('data', (bytes: Buffer) => {
      errors = Buffer.concat([errors, bytes]).subarray(-mostErrorBytes);
    });
  child.on('exit', (code, signal) => {
    // Leftovers in its group must not outlive it: nothing would talk to them any more.
    group.signal('SIGKILL');
    const exitCode = code ?? 128 + constants.signals[signal as NodeJS.Signals];
    // Its last output may still be on its way.
    setTimeout(async () => {
      isOver = true;
      group.release();
      for (const stream of child.stdio) stream?.destroy();
      await over();
      ended.resolve();
      watch.ended({ exitCode, errors: errors.toString('utf8') });
    }, 20);
  });
  const endsWithin = (milliseconds: number): Promise<boolean> => {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), milliseconds);
    return Promise.race([ended.promise.then(() => true), late.promise]).finally(() => clearTimeout(timer));
  };
  return {
    kind: 'running',
    async write(text) {
      const { stdin } = child;
      if (isOver || stdin === null || !stdin.writable || stdin.write(text)) return;
      const drained = new Promise<void>((resolve) => void stdin.once('drain', resolve).once('close', resolve));
      await Promise.race([drained, ended.promise]);
    },
    async close() {
      child.stdin?.end();
      if (await endsWithin(graceMs)) return;
      group.signal('SIGTERM');
      if (await endsWithin(graceMs)) return;
      group.signal('SIGKILL');
      await endsWithin(graceMs);
    },
  };
}
