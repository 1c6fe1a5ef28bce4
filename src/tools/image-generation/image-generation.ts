import { refusedCall } from '../../fragments/answers/call-answers.ts';
import type { ToolSpec } from '../../ports/prompt.ts';
import type { Tool } from '../define.ts';

const spec: ToolSpec = { type: 'image_generation', output_format: 'png' };

/** The provider makes the pictures, and its items are kept as they come. The model sees what it made. */
export function imageGenerationTool(): Tool {
  return {
    name: 'image_generation',
    spec,
    givesPictures: true,
    offeredIn: ({ features }) => features.includes('image_generation'),
    prepare: () => ({ kind: 'refused', output: refusedCall('the provider runs this tool itself.', 'Do not call it.') }),
  };
}
