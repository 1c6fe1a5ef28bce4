import type { Requirements } from '../policy/requirements.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Catalogue } from './model-record.ts';
import type { Settings } from './settings.ts';

export type Changed =
  | { readonly kind: 'changed'; readonly settings: Settings; readonly changed: readonly string[] }
  | { readonly kind: 'refused'; readonly outcome: Outcome };

export function applyChange(
  settings: Settings,
  change: unknown,
  _rules: { readonly catalogue: Catalogue; readonly requirements: Requirements },
): Changed {
  return { kind: 'changed', settings: { ...settings, ...(change as Partial<Settings>) }, changed: [] };
}
