import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { RunnableCommand } from '../../ports/sandbox.ts';
import type { NotStarted, CommandStartOptions, TerminalSize } from '../../ports/commands.ts';
import {
  dropListeners,
  dropListenersOnClose,
  exitCodeOf,
  extraStreams,
  startError,
  describeStartFailure,
  openStartFolder,
  replacedFolderMessage,
  sendHandover,
  type StandardStream,
  writeFilesToPipes,
} from './child-process.ts';
import type { PipeEnds } from './pipes.ts';
import type { PipeStock } from './pipe-stock.ts';
import { superviseCommand, trackProcessGroup } from './process-guard.ts';
import type { PseudoTerminal } from './pseudo-terminal.ts';

export type StartedChild = Extract<Awaited<ReturnType<typeof startChild>>, { kind: 'running' }>;
export type ChildResources = { readonly pipes: PipeStock; openTerminal(): Promise<PseudoTerminal | undefined> };

const noTerminal: NotStarted = {
  kind: 'not-started',
  reason: 'There is no terminal here: the optional package "@lydell/node-pty" is not installed for this machine.',
};

/** The only way to start commands of threads: guarded, marked, and in process groups of their own. */
export async function startChild(
  command: RunnableCommand,
  { input, output }: Pick<CommandStartOptions, 'input' | 'output'>,
  { pipes, openTerminal }: ChildResources,
) {
  const terminal = input === 'terminal' ? await openTerminal() : undefined;
  if (input === 'terminal' && terminal === undefined) return noTerminal;
  const pipe = terminal === undefined ? await pipes() : undefined;
  const fed = input === 'open' ? await pipes() : undefined;
  const folder = openStartFolder(command);
  const guarded = superviseCommand();
  const fail = (error: unknown): NotStarted => {
    guarded.ended();
    terminal?.close();
    if (pipe !== undefined) closeSync(pipe.readEnd);
    if (fed !== undefined) closeSync(fed.writeEnd);
    const reason = folder === undefined ? replacedFolderMessage(command) : describeStartFailure(command, error);
    return { kind: 'not-started', reason };
  };
  let child: ChildProcess;
  try {
    if (folder === undefined) throw new Error('replaced');
    const streams = [...standardStreams({ terminal, pipe, fed, input }), ...extraStreams(command)];
    child = guarded.start({ ...command, cwd: folder.path }, streams);
    if (child.pid !== undefined) guarded.started(child.pid);
  } catch (error) {
    return fail(error);
  } finally {
    // Close our copy, or the reader never sees the end.
    if (pipe !== undefined) closeSync(pipe.writeEnd);
    if (fed !== undefined) closeSync(fed.readEnd);
    folder?.close();
    terminal?.handedOver();
  }
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(exitCodeOf(code, signal));
      // A handle from the child may arrive after its end, so its listeners stay.
      if (command.handover === undefined) dropListeners(child);
    });
  });
  const failure = await startError(child);
  if (failure !== undefined) return fail(failure);
  const outputs = outputsOf(child, { terminal, pipe });
  for (const stream of outputs) stream.on('data', output);
  const outputEnded = Promise.all(outputs.map(closed));
  const extra = writeFilesToPipes(child, command.files);
  if (command.handover !== undefined) sendHandover(child, command.handover);
  const feed = terminal?.input ?? feedOf(child, fed);
  if (feed !== undefined) dropListenersOnClose(feed);
  const pid = child.pid as number;
  const group = trackProcessGroup(pid);
  let isClosed = false;
  return {
    kind: 'running' as const,
    pid,
    mark: guarded.mark,
    group,
    get isClosed(): boolean {
      return isClosed;
    },
    /** The exit code; 128 plus its number when a signal ended the command. */
    exited,
    /** Settles when no process holds the output open and all of it has been read. */
    outputEnded,
    /** False if its input is closed. */
    write(bytes: Uint8Array): boolean {
      if (feed === undefined || !feed.writable) return false;
      feed.write(bytes);
      return true;
    },
    closeInput: () => void feed?.end(),
    resize: (size: TerminalSize) => terminal?.resize(size),
    close(): void {
      isClosed = true;
      for (const stream of [...outputs, ...extra]) stream.destroy();
      feed?.destroy();
      terminal?.close();
      if (child.connected) child.disconnect();
      group.release();
      guarded.ended();
    },
    unref(): void {
      child.unref();
      for (const stream of [...outputs, feed]) (stream as { unref?(): void } | undefined)?.unref?.();
    },
  };
}

interface OwnStreams extends Pick<CommandStartOptions, 'input'>, Partial<Record<'pipe' | 'fed', PipeEnds>> {
  readonly terminal: PseudoTerminal | undefined;
}

function standardStreams({ terminal, pipe, fed, input }: OwnStreams): readonly StandardStream[] {
  if (terminal !== undefined) return [terminal.commandEnd, terminal.commandEnd, terminal.commandEnd];
  const write = pipe?.writeEnd ?? 'pipe';
  return [input === 'open' ? (fed?.readEnd ?? 'pipe') : 'ignore', write, write];
}

function outputsOf(child: ChildProcess, { terminal, pipe }: Omit<OwnStreams, 'input'>): readonly Readable[] {
  if (terminal !== undefined) return [terminal.output];
  if (pipe === undefined) return [child.stdout, child.stderr] as readonly Readable[];
  return [new Socket({ fd: pipe.readEnd, readable: true, writable: false })];
}

function feedOf(child: ChildProcess, fed: PipeEnds | undefined): Writable | undefined {
  if (fed === undefined) return child.stdin ?? undefined;
  return new Socket({ fd: fed.writeEnd, readable: false, writable: true });
}

function closed(stream: Readable): Promise<void> {
  dropListenersOnClose(stream);
  return new Promise((resolve) => void stream.on('close', resolve));
}
