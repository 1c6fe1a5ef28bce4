import { fileSystem } from '../../adapters/disk/file-system.ts';
import { makeOwnFolder } from '../../adapters/disk/own-files.ts';
import { imageFormat } from '../../adapters/gather/files/load-image.ts';
import { shortTextHash } from '../../base/digest.ts';
import { messageOfThrown } from '../../protocol/display-text.ts';
import type { ThreadParts } from '../thread/thread-parts.ts';
import { join } from 'node:path';

type SaveImage = NonNullable<ThreadParts['saveImage']>;
/** No provider makes larger ones. */
const mostBytes = 32 * 1024 * 1024;
/** Images that may share one name: a provider gave several pictures the same id. */
const mostOfName = 100;

/** Saves the image in a folder of the home that only this user can read. Never overwrites a file. */
export function saveGeneratedImage(
  home: string,
  { threadId, id, base64 }: Parameters<SaveImage>[0],
): Awaited<ReturnType<SaveImage>> {
  if ((base64.length * 3) / 4 > mostBytes) return { problem: `The image has more than ${mostBytes / 1024 / 1024} MB.` };
  const bytes = Buffer.from(base64, 'base64');
  const found = imageFormat(bytes);
  if (found === undefined || !found.whole) return { problem: 'The provider sent something that is no whole image.' };
  const parent = join(home, 'generated_images');
  const folder = join(parent, safeName(threadId));
  // Check both: a link would lead elsewhere.
  if (!makeOwnFolder(parent, 'closed') || !makeOwnFolder(folder, 'closed'))
    return { problem: `The image cannot be saved in ${folder}: it is not a folder of yours that is closed to others.` };
  const name = safeName(id);
  for (let number = 1; number <= mostOfName; number++) {
    const path = join(folder, `${name}${number === 1 ? '' : `-${number}`}.${found.format}`);
    try {
      fileSystem.writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 });
      return { path };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        return { problem: `The image cannot be saved in ${folder}: ${messageOfThrown(error)}` };
    }
  }
  return { problem: `The image cannot be saved in ${folder}: all names for it are taken.` };
}

/** The name comes from a provider or a file and may be anything. */
function safeName(given: string): string {
  return /^[A-Za-z0-9_-]{1,100}$/.test(given) ? given : `image-${shortTextHash(given)}`;
}
