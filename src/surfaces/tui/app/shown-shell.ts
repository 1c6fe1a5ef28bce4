import { defined } from '../../../protocol/defined.ts';
import type { CommandItem } from '../../../protocol/turn-item.ts';
import { commandCell } from '../cells/command-cell.ts';
import type { Transcript } from './transcript.ts';

/** More of it is not drawn while it runs. */
const mostOutput = 64 * 1024;

/** A command of the user on the screen. */
export interface ShownShell {
  output(text: string): void;
  /** Absent: it did not run. */
  end(ran: { readonly exitCode?: number; readonly output: string; readonly durationMs: number } | undefined): void;
}

export function showShell(transcript: Transcript, command: string, startedAt: number): ShownShell {
  let output = '';
  const cell = (more: Partial<CommandItem>) => {
    const item = {
      kind: 'command',
      id: 'shell',
      argv: ['sh', '-c', command],
      cwd: '',
      status: 'in-progress',
      output,
      ...more,
    } as const;
    return commandCell(item, { byUser: true, startedAt });
  };
  const entry = transcript.add({ cell: cell({}), isFinal: false });
  return {
    output(text) {
      output = (output + text).slice(-mostOutput);
      entry.cell = cell({});
    },
    end(ran) {
      const status = ran?.exitCode === 0 ? 'completed' : 'failed';
      const { output: all = output, durationMs, exitCode } = ran ?? {};
      entry.cell = cell({ status, output: all, ...defined({ durationMs, exitCode }) });
      entry.isFinal = true;
    },
  };
}
