import type { ToolTraits } from '../../core/envelope/facts.ts';
import { refusedCall } from '../../core/fragments/answers/tool-calls.ts';
import { type WebSearchMode, webSearchMode } from '../../core/policy/requirements.ts';
import type { ToolSpec } from '../../ports/model.ts';
import type { Tool } from './tool.ts';

interface WebSearchChoice {
  readonly wanted: WebSearchMode;
  /** By the administrator. Absent: all modes. */
  readonly allowed?: readonly WebSearchMode[];
}

/** The provider searches, and its items are kept as received. What it may search depends on what commands may do. */
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

const spec: ToolSpec = { type: 'image_generation', output_format: 'png' };

/** The provider makes the pictures, and its items are kept as received. The model sees the results. */
export function imageGenerationTool(): Tool {
  return {
    name: 'image_generation',
    spec,
    givesPictures: true,
    offeredIn: ({ features }) => features.includes('image_generation'),
    prepare: () => ({ kind: 'refused', output: refusedCall('the provider runs this tool itself.', 'Do not call it.') }),
  };
}
