import type { Json } from '../../protocol/json.ts';
import type { ShownModel } from '../engine/home-models.ts';

export interface RecordField {
  /** As a catalogue file writes it. */
  readonly field: string;
  readonly value: Json;
  readonly source: string;
}

/** The fields of a record, under the names that catalogue files use. */
const names = {
  contextWindow: 'context_window',
  maxContextWindow: 'max_context_window',
  effectivePercent: 'effective_context_window_percent',
  autoCompactTokens: 'auto_compact_token_limit',
  maxOutputTokens: 'max_output_tokens',
  truncation: 'truncation_policy',
  defaultEffort: 'default_reasoning_level',
  supportedEfforts: 'supported_reasoning_levels',
  defaultSummary: 'default_reasoning_summary',
  defaultVerbosity: 'default_verbosity',
  serviceTiers: 'service_tiers',
  modalities: 'input_modalities',
  editTools: 'edit_tools',
  parallelCalls: 'parallel_calls',
  compatibility: 'comp_hash',
} as const;

/** All that is known of a model, but for its instructions, which are long. */
export function shownRecord({ record, sourceOf }: ShownModel): readonly RecordField[] {
  const entries = Object.entries(names) as readonly (readonly [keyof typeof names, string])[];
  return entries.flatMap(([key, field]) => {
    const value = record[key] as Json | undefined;
    return value === undefined ? [] : [{ field, value, source: sourceOf(key) }];
  });
}
