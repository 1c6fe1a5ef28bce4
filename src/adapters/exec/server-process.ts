import type { ChildProcess } from 'node:child_process';
import type { ServerProcess, ServerProcessWatch, StartServerProcess } from '../../ports/mcp-servers.ts';
import {
  exitCodeOf,
  extraStreams,
  writeFilesToPipes,
  describeStartFailure,
  sendHandover,
  startError,
} from './child-process.ts';
import { settlesWithin } from './command-timing.ts';
import { superviseCommand, trackProcessGroup } from './process-guard.ts';

const graceMs = 500;
const mostErrorBytes = 8000;

/** Starts a program with three pipes. Like commands, it leads a process group registered with the warden. */
export const startServerProcess: StartServerProcess = async (command, watch) => {
  const guarded = superviseCommand();
  const failed = async (error: unknown) => {
    guarded.ended();
    await command.cleanup?.();
    return { kind: 'not-started', reason: describeStartFailure(command, error) } as const;
  };
  let child: ChildProcess;
  try {
    child = guarded.start(command, ['pipe', 'pipe', 'pipe', ...extraStreams(command)]);
  } catch (error) {
    return failed(error);
  }
  const failure = await startError(child);
  if (failure !== undefined || child.pid === undefined) return failed(failure);
  guarded.started(child.pid);
  writeFilesToPipes(child, command.files ?? []);
  if (command.handover !== undefined) sendHandover(child, command.handover);
  return running(child, child.pid, watch, async () => {
    guarded.ended();
    if (child.connected) child.disconnect();
    await command.cleanup?.();
  });
};

type Over = () => Promise<void>;

function running(child: ChildProcess, pid: number, watch: ServerProcessWatch, over: Over): ServerProcess {
  const group = trackProcessGroup(pid);
  const ended = Promise.withResolvers<void>();
  let errors = Buffer.alloc(0);
  let isOver = false;
  child.stdin?.on('error', () => {});
  child.stdout?.on('error', () => {}).on('data', (bytes: Buffer) => watch.output(bytes));
  const hear = (bytes: Buffer): void => void (errors = Buffer.concat([errors, bytes]).subarray(-mostErrorBytes));
  child.stderr?.on('error', () => {}).on('data', hear);
  child.on('exit', (code, signal) => {
    // Leftovers in its group must not outlive it: nothing would talk to them any more.
    group.signal('SIGKILL');
    const exitCode = exitCodeOf(code, signal);
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
      if (await settlesWithin(ended.promise, graceMs)) return;
      group.signal('SIGTERM');
      if (await settlesWithin(ended.promise, graceMs)) return;
      group.signal('SIGKILL');
      await settlesWithin(ended.promise, graceMs);
    },
  };
}
