import type { JsonObject } from '../../protocol/json.ts';
import type { UserImage } from '../../protocol/user-input.ts';

/** A picture between two texts that name it, so that the words of the user can speak of it. `number` counts from 1. */
export function imageParts({ path, dataUrl }: UserImage, number: number): readonly JsonObject[] {
  return [
    { type: 'input_text', text: `<image name=[Image #${number}] path="${path.replace(/["\r\n]/g, ' ')}">` },
    { type: 'input_image', image_url: dataUrl, detail: 'high' },
    { type: 'input_text', text: '</image>' },
  ];
}

/** Whether a part is a text that names the picture beside it; alone, such a text is the user's. */
export function isImageLabel(content: readonly JsonObject[], index: number): boolean {
  const label = /^<(\/?)image\b[^>]*>$/.exec(String(content[index]?.['text'] ?? '').trim());
  return label !== null && content[label[1] === '' ? index + 1 : index - 1]?.['type'] === 'input_image';
}
