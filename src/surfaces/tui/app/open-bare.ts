import { openTui } from './open-tui.ts';
import { terminalProblem } from './terminal-problem.ts';

/** A bare `capstan` on a terminal. Undefined: there is no folder to work in. */
export async function openBare(): Promise<number | undefined> {
  const cwd = currentFolderOrNone();
  if (cwd === undefined) return undefined;
  const problem = terminalProblem();
  if (problem !== undefined) return (await import('../../terminal/print.ts')).complain(problem, 1);
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

/** Nothing of the engine is loaded for it: the first frame comes before that. */
function currentFolderOrNone(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
