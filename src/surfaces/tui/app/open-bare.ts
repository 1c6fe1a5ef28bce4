import { openTui } from './open-tui.ts';
import { terminalProblem } from './terminal-problem.ts';

/** A bare `capstan` on a terminal. Undefined: there is none, or no folder to work in. */
export async function openBare(): Promise<number | undefined> {
  const cwd = currentFolderOrNone();
  if (cwd === undefined || terminalProblem() !== undefined) return undefined;
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
