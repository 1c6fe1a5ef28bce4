import { applyPatchHere, type PatchCommand } from '../../engine/workspace/patch-command.ts';
import { print } from '../views/terminal/print.ts';

/** Applies a patch in the working folder and reports what it did. Returns the exit code. */
export function runApplyPatch(words: readonly string[], calledAs: PatchCommand['calledAs']): number {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const here = { folder: process.cwd(), readStandardInput: () => readFileSync(0) };
  const { code, stdout, stderr } = applyPatchHere({ words, calledAs, ...here });
  // Mostly run by the model's commands: the output goes to the model unchanged.
  if (stdout !== '') print(stdout, 'exact text');
  if (stderr !== '') print(stderr, 'exact text', process.stderr);
  return code;
}
