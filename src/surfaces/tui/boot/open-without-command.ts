import { valueOr } from '../../../base/objects.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { openTui } from './open-tui.ts';

/** Runs a bare `capstan` on a terminal. Undefined if there is no folder to work in. */
export async function openWithoutCommand(): Promise<number | undefined> {
  const cwd = currentFolderOrNone();
  if (cwd === undefined) return undefined;
  const problem = terminalProblem();
  if (problem !== undefined) return (await import('../../views/terminal/print.ts')).printFailure(problem, 1);
  const none = {
    override: [],
    enable: [],
    disable: [],
    model: undefined,
    profile: undefined,
    localProvider: undefined,
  };
  const off = { strictConfig: false, ignoreUserConfig: false, ignoreRules: false, oss: false };
  return openTui({ cwd, choices: { ...none, ...off }, thread: { kind: 'new' }, isFull: false });
}

/** Must not load the engine: this runs before the first frame. */
function currentFolderOrNone(): string | undefined {
  return valueOr(undefined, () => process.cwd());
}

export function terminalProblem(): Outcome | undefined {
  const code = 'no-terminal';
  const missing = process.stdin.isTTY ? (process.stdout.isTTY ? undefined : 'Standard output') : 'Standard input';
  if (missing !== undefined) {
    const next = 'Start Capstan from a terminal, or run one turn with `capstan exec "your task"`.';
    return { code, message: `${missing} is not a terminal.`, next };
  }
  if (process.env['TERM'] !== 'dumb') return undefined;
  return {
    code,
    message: 'The terminal cannot move its cursor (TERM is "dumb").',
    next: 'Use another terminal, or set TERM to its kind, such as `TERM=xterm-256color capstan`. `capstan exec "your task"` runs one turn on any terminal.',
  };
}
