import { feedProgram } from '../../exec/feed-program.ts';
import type { EngineParts } from './engine-parts.ts';
import { programVariables } from './program-variables.ts';

const timeoutMs = 3000;

/** Gives a text to a program of the clipboard. Whether it took it: one that commands could have written is not there. */
export async function feedClipboard(
  parts: Pick<EngineParts, 'programs' | 'programFolder' | 'options'>,
  [name = '', ...words]: readonly string[],
  text: string,
): Promise<boolean> {
  const program = parts.programs.find(name);
  if (program === undefined) return false;
  const env = programVariables(parts);
  return feedProgram([program, ...words], { cwd: parts.programFolder(), env, input: text, timeoutMs });
}
