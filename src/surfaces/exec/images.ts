import { resolve } from 'node:path';
import { kindOfEntry } from '../../disk/file-system.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { UnusableImage, UserImage, UserInput } from '../../protocol/user-input.ts';
import type { ExecArguments } from '../commands/exec-command.ts';
import type { Engine } from '../engine/engine.ts';

/** What `--image` adds to the words. */
export type Pictures = Required<Pick<UserInput, 'images' | 'unusableImages'>>;

/**
 * The pictures of `--image`. A file that is there and is no picture does not end the run: programs that drive `exec`
 * count on that, and both the user and the model learn of it.
 */
export async function loadImages({ options }: ExecArguments, cwd: string, engine: Engine): Promise<Pictures | Outcome> {
  const lists = options.image;
  // A variable that was not set, most likely.
  if (lists.includes('')) return noPath;
  const paths = lists.flatMap((list) => pathsIn(list, cwd));
  const images: UserImage[] = [];
  const unusableImages: UnusableImage[] = [];
  for (const path of paths) {
    const image = await engine.loadImage(path, cwd);
    if (!('code' in image)) images.push(image);
    else if (image.code === 'image-unsupported') unusableImages.push({ path, problem: image });
    else return image;
  }
  return { images, unusableImages };
}

const noPath: Outcome = {
  code: 'image-unreadable',
  message: 'The image has an empty path.',
  next: 'Give -i the path of a picture, or leave it out.',
};

/** Several paths with commas between them, or a path that has commas in it. */
function pathsIn(list: string, cwd: string): readonly string[] {
  if (kindOfEntry(resolve(cwd, list)) !== 'missing') return [list];
  return list.split(',').filter((path) => path !== '');
}
