import type { ToolSpec } from '../../ports/prompt.ts';
import type { OtherReader } from '../../replay/prompt-for-other.ts';
import { inPatchForm } from '../../tools/apply-patch/patch-form.ts';

/** Tools that end in a picture, by name or by type. */
const pictureTools: ReadonlySet<unknown> = new Set(['view_image', 'image_generation']);

/** The tools of a past request as another model and provider take them: threads there would have the same. */
export function toolsForOther(
  tools: readonly ToolSpec[],
  { model, capabilities }: Pick<OtherReader, 'model' | 'capabilities'>,
): readonly ToolSpec[] {
  const seesPictures = model.modalities.includes('image');
  return tools
    .filter(({ name, type }) => seesPictures || !(pictureTools.has(name) || pictureTools.has(type)))
    .map((spec) => inPatchForm(spec, capabilities));
}
