import { applyPatchHere, type PatchCommand } from './patch-command.ts';

/** The command `apply_patch`: applies a patch in the working folder and tells what it did. Returns the exit code. */
export function runApplyPatch(words: readonly string[], calledAs: PatchCommand['calledAs']): number {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const { code, stdout, stderr } = applyPatchHere({
    words,
    calledAs,
    folder: process.cwd(),
    readStandardInput: () => readFileSync(0),
  });
  if (stdout !== '') process.stdout.write(stdout);
  if (stderr !== '') process.stderr.write(stderr);
  return code;
}
