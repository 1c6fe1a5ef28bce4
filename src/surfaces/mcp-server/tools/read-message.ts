import type { JsonObject } from '../../../protocol/json.ts';
import { arrayAt, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { isBlankText } from '../../../base/invisible.ts';
import type { UserImage, UserInput } from '../../../protocol/user-input.ts';
import type { ToolParts } from './tool-parts.ts';

/** The words and pictures of a call. A picture is a path, or a data URL. */
export async function readCalledMessage(
  { engine }: Pick<ToolParts, 'engine'>,
  args: JsonObject,
  cwd: string,
): Promise<UserInput | Outcome> {
  const text = stringAt(args, 'text') ?? '';
  const paths = (arrayAt(args, 'images') ?? []).map(String);
  if (isBlankText(text) && paths.length === 0) return emptyMessage;
  const images: UserImage[] = [];
  for (const path of paths) {
    const image = await engine.loadImage(path, cwd);
    if ('code' in image) return image;
    images.push(image);
  }
  return { author: 'user', text, images };
}

const emptyMessage: Outcome = {
  code: 'empty-input',
  message: 'The message is empty or blank.',
  next: 'Write something, or add a picture. Nothing was sent.',
};
