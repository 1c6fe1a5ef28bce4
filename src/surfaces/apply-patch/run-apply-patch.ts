import { print } from '../terminal/print.ts';
import { applyPatchHere, type PatchCommand } from './patch-command.ts';

/** The command `apply_patch`: applies a patch in the working folder and reports what it did. Returns the exit code. */
export function runApplyPatch(words: readonly string[], calledAs: PatchCommand['calledAs']): number {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const { code, stdout, stderr } = applyPatchHere({
    words,
    calledAs,
    folder: process.cwd(),
    readStandardInput: () => readFileSync(0),
  });
  // A command of the model's, as a rule: what it says goes to the model as it is.
  if (stdout !== '') print(stdout, 'exact text');
  if (stderr !== '') print(stderr, 'exact text', process.stderr);
  return code;
}
