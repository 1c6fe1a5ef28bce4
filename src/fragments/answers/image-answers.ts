import type { JsonObject } from '../../protocol/json.ts';
import type { UserImage } from '../../protocol/user-input.ts';

/** A picture in the answer to a call, and behind it whether it was made smaller. */
export function shownImage({ dataUrl, resized }: Omit<UserImage, 'path'>): readonly JsonObject[] {
  const image = { type: 'input_image', image_url: dataUrl, detail: 'high' };
  if (resized === undefined) return [image];
  const text = `The image was resized from ${resized.from} to ${resized.to} pixels.`;
  return [image, { type: 'input_text', text }];
}
