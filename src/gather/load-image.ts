import { resolve } from 'node:path';
import type { Outcome } from '../protocol/outcome.ts';
import type { UserImage } from '../protocol/user-input.ts';
import { fileSystem, reasonOf } from './file-system.ts';

export type ImageProblem = Outcome<'image-unreadable' | 'image-unsupported' | 'image-too-large'>;

/** Larger files are refused: they would fill a rollout and no provider takes them. */
const mostBytes = 10 * 1024 * 1024;

/** Reads a picture for a user's message. Its type is told by its first bytes, not by its name. */
export function loadImage(path: string, cwd: string): UserImage | ImageProblem {
  const bytes = readBytes(resolve(cwd, path));
  if ('unreadable' in bytes) {
    const message = `The image ${path} cannot be read: ${bytes.unreadable}.`;
    return { code: 'image-unreadable', message, next: 'Check the path: it must lead to a file that you may read.' };
  }
  if ('tooLarge' in bytes) {
    const size = (bytes.tooLarge / 1024 / 1024).toFixed(1);
    return {
      code: 'image-too-large',
      message: `The image ${path} has ${size} MB; 10 MB is the most.`,
      next: 'Make it smaller, for example by halving its width and height.',
    };
  }
  const type = imageType(bytes);
  if (type === undefined) {
    const next = 'Convert it to PNG, JPEG, GIF or WebP.';
    return { code: 'image-unsupported', message: `${path} is not an image that models take.`, next };
  }
  return { path, dataUrl: `data:image/${type};base64,${bytes.toString('base64')}` };
}

/** Looks before it reads: a pipe that nobody writes to would hold up the program for good, and a disk image its memory. */
function readBytes(path: string): Buffer | { readonly unreadable: string } | { readonly tooLarge: number } {
  try {
    const stats = fileSystem.statSync(path);
    if (stats.isDirectory()) return { unreadable: 'it is a folder' };
    if (!stats.isFile()) return { unreadable: 'it is not a regular file' };
    return stats.size > mostBytes ? { tooLarge: stats.size } : fileSystem.readFileSync(path);
  } catch (error) {
    return { unreadable: reasonOf(error) };
  }
}

function imageType(bytes: Buffer): string | undefined {
  const begins = (text: string, at = 0) => bytes.subarray(at, at + text.length).toString('latin1') === text;
  if (begins('\x89PNG\r\n\x1a\n')) return 'png';
  if (begins('\xff\xd8\xff')) return 'jpeg';
  if (begins('GIF87a') || begins('GIF89a')) return 'gif';
  return begins('RIFF') && begins('WEBP', 8) ? 'webp' : undefined;
}
