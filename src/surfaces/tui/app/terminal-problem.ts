import type { Outcome } from '../../../protocol/outcome.ts';

/** Why there is no terminal to work on. Undefined: there is one. */
export function terminalProblem(): Outcome | undefined {
  const missing = process.stdin.isTTY ? (process.stdout.isTTY ? undefined : 'Standard output') : 'Standard input';
  if (missing !== undefined) {
    const message = `${missing} is not a terminal.`;
    return {
      code: 'no-terminal',
      message,
      next: 'Start Capstan from a terminal, or run one turn with `capstan exec "your task"`.',
    };
  }
  if (process.env['TERM'] !== 'dumb') return undefined;
  const message = 'The terminal cannot move its cursor (TERM is "dumb").';
  return {
    code: 'no-terminal',
    message,
    next: 'Use another terminal, or set TERM to its kind, such as `TERM=xterm-256color capstan`. `capstan exec "your task"` runs one turn on any terminal.',
  };
}
