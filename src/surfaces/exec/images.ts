import { loadImage } from '../../gather/load-image.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { UserImage } from '../../protocol/user-input.ts';
import type { ExecArguments } from './arguments.ts';

/** The pictures of `--image`. */
export function loadImages(asked: ExecArguments, cwd: string): readonly UserImage[] | Outcome {
  const paths = (asked.values.image ?? []).flatMap((list) => list.split(',')).filter((path) => path !== '');
  const images: UserImage[] = [];
  for (const path of paths) {
    const image = loadImage(path, cwd);
    if ('code' in image) return image;
    images.push(image);
  }
  return images;
}
