import { resolve } from 'node:path';
import type { Outcome } from '../../protocol/outcome.ts';
import type { UserImage } from '../../protocol/user-input.ts';
import { imageFormat } from './image-format.ts';
import { readBounded, type BoundedReading, type UnreadFile, whyMissing } from '../../disk/read-bounded.ts';

export type ImageProblem = Outcome<'image-unreadable' | 'image-unsupported' | 'image-too-large' | 'image-denied'>;

/** Larger files are refused: they would fill a rollout and no provider takes them. */
const mostBytes = 10 * 1024 * 1024;

const dataUrl = /^data:image\/[\w.+-]+;base64,/;

/** Reads a picture for a user's message: a file, or a data URL that holds it. Its bytes decide what it is, not its name; one that is cut off is refused. */
export function loadImage(
  path: string,
  cwd: string,
  rules: Pick<BoundedReading, 'denies'> = {},
): UserImage | ImageProblem {
  const head = dataUrl.exec(path)?.[0];
  if (head !== undefined) return imageIn(path.slice(head.length));
  if (/^(?:https?|data):/.test(path)) return notHere(path);
  const absolute = resolve(cwd, path);
  const file = readBounded(absolute, { ...rules, maxBytes: mostBytes });
  if (file.kind === 'missing') return unread(path, { why: 'failed', reason: whyMissing(absolute) });
  if (file.kind === 'unread') return unread(path, file);
  return pictureOf(path, file.bytes);
}

function pictureOf(path: string, bytes: Buffer): UserImage | ImageProblem {
  const found = imageFormat(bytes);
  if (found === undefined) {
    const next = 'Convert it to PNG, JPEG, GIF or WebP.';
    return { code: 'image-unsupported', message: `${path} is not an image in a format that models accept.`, next };
  }
  if (!found.whole) {
    const message = `${path} begins like an image (${found.format}), but it is incomplete or damaged.`;
    return { code: 'image-unsupported', message, next: 'Save the image again as PNG, JPEG, GIF or WebP.' };
  }
  return { path, dataUrl: `data:image/${found.format};base64,${bytes.toString('base64')}` };
}

/** What stands in a message itself has no path: the model and screens read this name. */
const unnamed = 'picture';

function imageIn(base64: string): UserImage | ImageProblem {
  const size = Math.floor((base64.length * 3) / 4);
  if (size > mostBytes) return unread(unnamed, { why: 'too-large', reason: '', size });
  return pictureOf(unnamed, Buffer.from(base64, 'base64'));
}

/** Capstan fetches nothing: what another server answers is not what the user saw. */
function notHere(path: string): ImageProblem {
  return {
    code: 'image-unreadable',
    message: `The image ${path.slice(0, 100)} is neither a file nor a data URL with base64.`,
    next: 'Save the picture and give its path, or a data URL like data:image/png;base64,…',
  };
}

function unread(path: string, { why, reason, size = mostBytes }: Omit<UnreadFile, 'kind'>): ImageProblem {
  if (why === 'denied') {
    return {
      code: 'image-denied',
      message: `The policy does not allow reading ${path}.`,
      next: 'Ask for another file.',
    };
  }
  if (why === 'too-large') {
    const message = `The image ${path} has ${(size / 1024 / 1024).toFixed(1)} MB; the limit is 10 MB.`;
    return { code: 'image-too-large', message, next: 'Make it smaller, for example by halving its width and height.' };
  }
  const message = `The image ${path} cannot be read: ${reason}.`;
  return { code: 'image-unreadable', message, next: 'Check the path: it must be a file that you can read.' };
}
