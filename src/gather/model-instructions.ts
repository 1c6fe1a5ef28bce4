import type { Config } from '../config/config.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { fileSystem, isMissing, reasonOf } from './file-system.ts';

export type ModelInstructionsProblem = Outcome<'model-instructions-unreadable' | 'model-instructions-empty'>;

/**
 * The text that replaces the model's own instructions: that of `model_instructions_file`, trimmed. Without the key there
 * is none. A file that cannot give a text is a problem and no reason to go on with another text.
 */
export function loadBaseInstructions(
  config: Pick<Config, 'modelInstructionsFile'>,
): { readonly baseInstructions?: string } | ModelInstructionsProblem {
  const path = config.modelInstructionsFile;
  if (path === undefined) return {};
  try {
    const text = fileSystem.readFileSync(path, 'utf8').trim();
    if (text !== '') return { baseInstructions: text };
    return {
      code: 'model-instructions-empty',
      message: `The file in model_instructions_file is empty: ${path}`,
      next: 'Write the instructions into it, or remove the key.',
    };
  } catch (error) {
    return {
      code: 'model-instructions-unreadable',
      message: `The file in model_instructions_file ${isMissing(error) ? 'does not exist' : `cannot be read (${reasonOf(error)})`}: ${path}`,
      next: 'Let the key name a file that you may read, or remove it.',
    };
  }
}
