import { resolve } from 'node:path';
import { setImmediate as nextRound, setTimeout as wait } from 'node:timers/promises';

import type { Outcome } from '../../../protocol/outcome.ts';
import type { Span } from '../../views/terminal/styled-text.ts';
import { canRewriteLines } from '../../views/terminal/screen.ts';
import { terminalWidth } from '../../views/terminal/visible-text.ts';
import { createFileAnswerer, parseAnswersFile } from './answers-file.ts';
import { type ApprovalAnswerer, withoutClientTools } from './approvals.ts';
import { askAtTerminal, type TerminalParts } from './ask-at-terminal.ts';
import { readOptionFile } from '../option-files.ts';
import type { RunOutput } from '../output.ts';

export interface ApprovalParts extends Pick<TerminalParts, 'rulesFile' | 'configFile'> {
  readonly cwd: string;
  readonly output: Pick<RunOutput, 'show' | 'typing'>;
}

export function loadApprovals(given: string, { cwd, output, ...files }: ApprovalParts): ApprovalAnswerer | Outcome {
  const show = (...spans: readonly Span[]): void => output.show(...spans);
  if (given === 'ask') {
    if (!process.stdin.isTTY || !process.stderr.isTTY) return noTerminal;
    const asking = askAtTerminal({
      input: process.stdin,
      width: () => terminalWidth(process.stderr) ?? 80,
      show,
      interrupt: () => void process.kill(process.pid, 'SIGINT'),
      now: () => performance.now(),
      after,
      ...files,
      // Without rewritable lines, the terminal echoes.
      typing: canRewriteLines(process.stderr) ? (text) => output.typing(text) : undefined,
      suspend: process.platform === 'win32' ? undefined : suspend,
    });
    return withoutClientTools(asking);
  }
  const next = 'Give --approvals a file that you may read, or "ask".';
  if (given.trim() === '') return { code: 'approvals-unnamed', message: '--approvals names no file.', next };
  const file = readOptionFile(resolve(cwd, given));
  if ('problem' in file)
    return { code: 'approvals-unreadable', message: `The answers in ${given} cannot be read: ${file.problem}.`, next };
  const lines = parseAnswersFile(file.text, given);
  return 'code' in lines ? lines : withoutClientTools(createFileAnswerer({ lines, name: given, show }));
}

/** Stops the whole job, as the terminal does. The timer fires when it continues, or if no shell controls the job. */
async function suspend(): Promise<void> {
  process.kill(0, 'SIGTSTP');
  await wait(100);
}

/** The event loop runs timers before input: keys typed by then are read in the next round. */
async function after(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal }).catch(() => {});
  await nextRound();
}

const noTerminal: Outcome = {
  code: 'approvals-no-terminal',
  message: '--approvals ask needs a terminal to ask at: standard input or standard error is not a terminal.',
  next: 'Start Capstan from a terminal with the prompt as an argument, or give the answers in a file: --approvals FILE.',
};
