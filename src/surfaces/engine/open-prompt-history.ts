import { systemPrograms } from '../../exec/processes/programs.ts';
import { createPromptHistory, type PromptHistory } from '../../rollout/prompt-history.ts';
import type { EngineParts } from './engine-parts.ts';

export type { PromptHistory, PromptPlace } from '../../rollout/prompt-history.ts';

/** By the configuration of the user: a project says nothing about the user's own files. */
export function openPromptHistory({ base, clock }: Pick<EngineParts, 'base' | 'clock'>): PromptHistory {
  const { persistence, maxBytes = 0 } = base.config.history ?? {};
  const path = `${base.home}/history.jsonl`;
  return createPromptHistory({ path, clock, programs: systemPrograms, isOff: persistence === 'none', maxBytes });
}
