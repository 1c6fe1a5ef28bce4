import type { Config } from '../config/config.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { fileSystem, isMissing, reasonOf } from './file-system.ts';

export type InstructionFileProblem = Outcome<`${'model-instructions' | 'compact-prompt'}-${'unreadable' | 'empty'}`>;

export interface InstructionTexts {
  /** Replaces the model's own instructions. */
  readonly baseInstructions?: string;
  readonly compactPrompt?: string;
}

/**
 * The texts of the files that the configuration names, trimmed; none without the key. A file that cannot give a text is a
 * problem and no reason to go on with another text.
 */
export function loadInstructionFiles(
  config: Pick<Config, 'modelInstructionsFile' | 'experimentalCompactPromptFile'>,
): InstructionTexts | InstructionFileProblem {
  const base = load('model-instructions', 'model_instructions_file', config.modelInstructionsFile);
  if (typeof base === 'object') return base;
  const compact = load('compact-prompt', 'experimental_compact_prompt_file', config.experimentalCompactPromptFile);
  if (typeof compact === 'object') return compact;
  return {
    ...(base === undefined ? {} : { baseInstructions: base }),
    ...(compact === undefined ? {} : { compactPrompt: compact }),
  };
}

function load(
  name: 'model-instructions' | 'compact-prompt',
  key: string,
  path: string | undefined,
): string | undefined | InstructionFileProblem {
  if (path === undefined) return undefined;
  try {
    const text = fileSystem.readFileSync(path, 'utf8').trim();
    if (text !== '') return text;
    return {
      code: `${name}-empty`,
      message: `The file in ${key} is empty: ${path}`,
      next: 'Write the text into it, or remove the key.',
    };
  } catch (error) {
    return {
      code: `${name}-unreadable`,
      message: `The file in ${key} ${isMissing(error) ? 'does not exist' : `cannot be read (${reasonOf(error)})`}: ${path}`,
      next: 'Let the key name a file that you may read, or remove it.',
    };
  }
}
