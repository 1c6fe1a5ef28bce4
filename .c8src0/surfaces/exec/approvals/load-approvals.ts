import { resolve } from 'node:path';
import { setImmediate as nextRound, setTimeout as wait } from 'node:timers/promises';
import { readBounded, whyMissing } from '../../../engine/file-access.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Span } from '../../views/terminal/styled-text.ts';
import { canRewriteLines } from '../../views/terminal/screen.ts';
import { terminalWidth } from '../../views/terminal/visible-text.ts';
import { createFileAnswerer, parseAnswersFile } from './answers-file.ts';
import { type ApprovalAnswerer, withoutClientTools } from './approvals.ts';
import { askAtTerminal, type TerminalParts } from './ask-at-terminal.ts';
import type { RunOutput } from '../output.ts';

const mostBytes = 1024 * 1024;

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
  const file = readBounded(resolve(cwd, given), { maxBytes: mostBytes });
  if (file.kind !== 'read') {
    const problem = file.kind === 'missing' ? whyMissing(resolve(cwd, given)) : file.reason;
    const message = `The answers in ${given} cannot be read: ${problem}.`;
    return { code: 'approvals-unreadable', message, next };
  }
  const lines = parseAnswersFile(file.bytes.toString('utf8'), given);
  return 'code' in lines ? lines : withoutClientTools(createFileAnswerer({ lines, name: given, show }));
}

/**
 * Stops the whole job, as the terminal does. Its processes stop before the timer fires, so it fires when they continue.
 * A job that no shell controls does not stop.
 */
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
