import type { Config } from '../../config/config.ts';
import type { Settings } from '../../envelope/settings.ts';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { readBounded, type BoundedReading } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';

export type InstructionFileProblem = Outcome<`${'model-instructions' | 'compact-prompt'}-${'unreadable' | 'empty'}`>;

/** The texts of the configured files, trimmed. A file that cannot give one is a problem, and no other text is used. */
export function loadInstructionFiles(
  config: Pick<Config, 'modelInstructionsFile' | 'experimentalCompactPromptFile'>,
  rules: Pick<BoundedReading, 'denies'> = {},
): Pick<Settings, 'baseInstructions' | 'compactPrompt'> | InstructionFileProblem {
  const base = load('model-instructions', 'model_instructions_file', config.modelInstructionsFile, rules);
  if (typeof base === 'object') return base;
  const compactFile = config.experimentalCompactPromptFile;
  const compact = load('compact-prompt', 'experimental_compact_prompt_file', compactFile, rules);
  if (typeof compact === 'object') return compact;
  return defined({ baseInstructions: base, compactPrompt: compact });
}

function load(
  name: 'model-instructions' | 'compact-prompt',
  key: string,
  path: string | undefined,
  rules: Pick<BoundedReading, 'denies'>,
): string | undefined | InstructionFileProblem {
  if (path === undefined) return undefined;
  const file = readBounded(path, { ...rules, maxBytes: readLimits.instructionsBytes });
  if (file.kind !== 'read') {
    const fate = file.kind === 'missing' ? 'does not exist' : `cannot be read (${file.reason})`;
    const next = 'Set the key to a file that you can read, or remove it.';
    return { code: `${name}-unreadable`, message: `The file in ${key} ${fate}: ${path}`, next };
  }
  const text = file.bytes.toString('utf8').trim();
  if (text !== '') return text;
  const next = 'Write the text into it, or remove the key.';
  return { code: `${name}-empty`, message: `The file in ${key} is empty: ${path}`, next };
}
