import { notRunText } from '../../core/fragments/answers/tool-calls.ts';
import { type WebSearchMode, webSearchMode } from '../../core/policy/requirements.ts';
import type { Tool } from './tool.ts';

/** The provider searches, and its items are kept as received. What it may search depends on what commands may do. */
export function webSearchTools(choice: Omit<Parameters<typeof webSearchMode>[0], 'isUnlimited'>): readonly Tool[] {
  const [held, open] = [false, true].map((isUnlimited) => webSearchMode({ ...choice, isUnlimited }));
  if (held === open) return webSearch('web_search', held);
  return [
    ...webSearch('web_search', held, ({ isUnlimited }) => !isUnlimited),
    ...webSearch('web_search_unlimited', open, ({ isUnlimited }) => isUnlimited),
  ];
}

function webSearch(name: string, mode: WebSearchMode | undefined, offeredIn?: Tool['offeredIn']): readonly Tool[] {
  if (mode === undefined || mode === 'disabled') return [];
  const indexed = mode === 'indexed' && { indexed_web_access: true };
  return [
    { name, spec: { type: 'web_search', external_web_access: mode !== 'cached', ...indexed }, offeredIn, prepare },
  ];
}

const prepare: Tool['prepare'] = () => ({
  kind: 'refused',
  output: notRunText('the provider runs this tool itself.', 'Do not call it.'),
});

/** The provider makes the pictures, and its items are kept as received. The model sees the results. */
export function imageGenerationTool(): Tool {
  return {
    name: 'image_generation',
    spec: { type: 'image_generation', output_format: 'png' },
    givesPictures: true,
    offeredIn: ({ features }) => features.includes('image_generation'),
    prepare,
  };
}
