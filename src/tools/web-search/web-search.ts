import { refusedCall } from '../../fragments/answers/call-answers.ts';
import type { ToolTraits } from '../../envelope/facts.ts';
import { type WebSearchMode, webSearchMode } from '../../policy/web-search.ts';
import type { ToolSpec } from '../../ports/prompt.ts';
import type { Tool } from '../define.ts';

interface WebSearchChoice {
  readonly wanted: WebSearchMode;
  /** By the administrator. Absent: all modes. */
  readonly allowed?: readonly WebSearchMode[];
}

/** The provider searches, and its items are kept as they come. What it may search depends on what commands may do. */
export function webSearchTools(choice: WebSearchChoice): readonly Tool[] {
  const [held, open] = [false, true].map((isUnlimited) => webSearchMode({ ...choice, isUnlimited }));
  if (held === open) return held === undefined || held === 'disabled' ? [] : [hosted('web_search', held, undefined)];
  return [
    ...(held === undefined || held === 'disabled'
      ? []
      : [hosted('web_search', held, ({ isUnlimited }) => !isUnlimited)]),
    ...(open === undefined || open === 'disabled'
      ? []
      : [hosted('web_search_unlimited', open, ({ isUnlimited }) => isUnlimited)]),
  ];
}

function hosted(name: string, mode: WebSearchMode, offeredIn: ToolTraits['offeredIn']): Tool {
  const spec: ToolSpec = {
    type: 'web_search',
    external_web_access: mode !== 'cached',
    ...(mode === 'indexed' && { indexed_web_access: true }),
  };
  return {
    name,
    spec,
    ...(offeredIn && { offeredIn }),
    prepare: () => ({ kind: 'refused', output: refusedCall('the provider runs this tool itself.', 'Do not call it.') }),
  };
}
