import { defined } from '../../../protocol/defined.ts';
import type { CommandItem } from '../../../protocol/turn-item.ts';
import { type CallStanding, commandCell } from '../cells/command-cell.ts';
import type { Transcript } from './transcript.ts';

/** More of it is not drawn while it runs. */
const mostOutput = 64 * 1024;

/** A command of the user on the screen. */
export interface ShownShell {
  output(text: string): void;
  /** What it has printed. */
  printed(): string;
  /** Absent: it did not run. */
  end(ran: ShellEnd | undefined): void;
  /** It was begun, and how it ended is on record nowhere. */
  lost(): void;
}

interface ShellEnd {
  readonly exitCode?: number;
  readonly output: string;
  readonly durationMs: number;
  /** The user has ended it. */
  readonly isInterrupted: boolean;
}

export function showShell(transcript: Transcript, command: string, startedAt: number): ShownShell {
  let output = '';
  const cell = (more: Partial<CommandItem>, standing: CallStanding = {}) => {
    const item = {
      kind: 'command',
      id: 'shell',
      byUser: true,
      argv: ['sh', '-c', command],
      cwd: '',
      status: 'in-progress',
      output,
      ...more,
    } as const;
    return commandCell(item, { startedAt, ...standing });
  };
  const entry = transcript.add({ cell: cell({}), isFinal: false });
  return {
    output(text) {
      output = (output + text).slice(-mostOutput);
      entry.cell = cell({});
    },
    printed: () => output,
    end(ran) {
      const status = ran?.exitCode === 0 ? 'completed' : 'failed';
      const { output: all = output, durationMs, exitCode, isInterrupted = false } = ran ?? {};
      // It may have ended by itself in that moment.
      const unfinished = isInterrupted && exitCode === undefined ? ('interrupted' as const) : undefined;
      entry.cell = cell({ status, output: all, ...defined({ durationMs, exitCode, unfinished }) });
      entry.isFinal = true;
    },
    lost() {
      entry.cell = cell({ status: 'failed' }, { isUnrecorded: true });
      entry.isFinal = true;
    },
  };
}
