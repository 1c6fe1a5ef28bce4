import type { Clock, StartedProcess } from '../../ports/system.ts';
import type { RunnableCommand } from '../../ports/sandbox.ts';
import type {
  NotStarted,
  RunningCommand,
  CommandSpawner,
  SpawnLimits,
  CommandStartOptions,
} from '../../ports/commands.ts';
import { createOutputBuffer } from './output-buffer.ts';
import { sharedPipeStock } from './pipe-stock.ts';
import { interruptProcessGroup } from './process-guard.ts';
import { identifyProcess, leftoverProcessEnder } from './leftover-processes.ts';
import type { PseudoTerminal } from './pseudo-terminal.ts';
import { type ChildResources, startChild, type StartedChild } from './start-command.ts';
import { sleepFor, settlesWithin, startStopwatch, startTimeLimit } from './command-timing.ts';

const graceMs = 500;
/** Time for output to stay open after the command ended: a process that it left may hold it. */
const drainMs = 250;
const [controlC, controlD] = [Uint8Array.of(3), Uint8Array.of(4)];

export interface NodeSpawnOptions {
  /** Measures durations; time limits run on real time. */
  readonly clock: Clock;
  /** For names of pipes: no command may write in it. */
  readonly runFolder: string;
  /** Native file of the optional package that opens terminals. Absent: there are none. */
  readonly terminalLibrary?: string;
}

export function createNodeSpawn({ clock, runFolder, terminalLibrary }: NodeSpawnOptions): CommandSpawner {
  const pipes = sharedPipeStock(runFolder);
  const openTerminal = async (): Promise<PseudoTerminal | undefined> =>
    terminalLibrary === undefined
      ? undefined
      : (await import('./pseudo-terminal.ts')).openPseudoTerminal(terminalLibrary);
  const start: CommandSpawner['start'] = (command, options) => startCommand(command, options, { pipes, openTerminal });
  return {
    start,
    async run(command, limits, { signal, started, output: onOutput }) {
      const watch = startStopwatch(clock, limits.pauses);
      const output = createOutputBuffer(limits.outputBytes);
      const told = () => ({ output: output.result(), durationMs: watch.elapsed() });
      const hear = (bytes: Uint8Array): void => {
        output.add(bytes);
        onOutput?.(bytes);
      };
      try {
        if (signal.aborted) {
          await command.cleanup();
          return { kind: 'aborted', ...told() };
        }
        const running = await start(command, { input: 'closed', output: hear, started });
        if (running.kind === 'not-started') return running;
        const cause = await firstOf(running.exited, limits, signal);
        if (cause !== 'exited') {
          await running.end();
          return { kind: cause, ...told() };
        }
        await running.drained;
        const end = { kind: 'exited', exitCode: await running.exited, ...told() } as const;
        await running.over;
        return end;
      } finally {
        watch.end();
      }
    },
  };
}

async function startCommand(
  command: RunnableCommand,
  options: CommandStartOptions,
  material: ChildResources,
): Promise<RunningCommand | NotStarted> {
  const child = await startChild(command, options, material);
  if (child.kind === 'not-started') {
    await command.cleanup();
    return child;
  }
  if (options.started !== undefined) void tellStarted(child, options.started);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    child.close();
    return (closing ??= command.cleanup());
  };
  const drained = child.exited.then(() => drain(child));
  return {
    kind: 'running',
    exited: child.exited,
    drained,
    over: drained.then(close),
    write: child.write,
    closeInput() {
      if (options.input === 'terminal') child.write(controlD);
      else child.closeInput();
    },
    interrupt() {
      if (options.input === 'terminal') child.write(controlC);
      else interruptProcessGroup(child.pid);
    },
    resize: child.resize,
    async end() {
      await killTree(child, options.input);
      await close();
    },
    unref: child.unref,
  };
}

/** Reports the identity of the process; not after its end, when no listener is left. */
async function tellStarted(child: StartedChild, onStarted: (process: StartedProcess) => void): Promise<void> {
  const startedAt = await identifyProcess(child.pid);
  if (startedAt !== undefined && !child.isClosed) onStarted({ pid: child.pid, startedAt, mark: child.mark });
}

function firstOf(exited: Promise<unknown>, { timeoutMs, pauses }: SpawnLimits, outer: AbortSignal) {
  // Node warns about more than ten listeners on a signal, and many commands may run under one.
  const signal = AbortSignal.any([outer]);
  const { promise, resolve } = Promise.withResolvers<'exited' | 'timed-out' | 'aborted'>();
  const onAbort = (): void => resolve('aborted');
  const endLimit = startTimeLimit(timeoutMs, pauses, () => resolve('timed-out'));
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  void exited.then(() => resolve('exited'));
  return promise.finally(() => {
    endLimit();
    signal.removeEventListener('abort', onAbort);
  });
}

/** The command ended by itself. Processes that it left keep running unless they hold the output. */
async function drain(child: StartedChild): Promise<void> {
  if (await settlesWithin(child.outputEnded, drainMs)) return;
  child.group.signal('SIGKILL');
  await settlesWithin(child.outputEnded, drainMs / 5);
}

async function killTree(child: StartedChild, input: CommandStartOptions['input']): Promise<void> {
  const { pid, mark, group } = child;
  const startedAt = input === 'terminal' ? await identifyProcess(pid) : undefined;
  group.signal('SIGTERM');
  for (let waited = 0; waited < graceMs && group.isAlive(); waited += 20) await sleepFor(20);
  if (group.isAlive()) group.signal('SIGKILL');
  // A shell at a terminal gives each of its jobs a group of its own.
  if (startedAt !== undefined) await leftoverProcessEnder.end({ pid, startedAt, mark });
  // A process that hangs in the kernel survives even this; the caller must not wait for it.
  await settlesWithin(Promise.all([child.exited, child.outputEnded]), drainMs);
}
