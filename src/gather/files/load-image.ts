import { resolve } from 'node:path';
import type { Outcome } from '../../protocol/outcome.ts';
import type { UserImage } from '../../protocol/user-input.ts';
import { readBounded, type BoundedReading, type UnreadFile, whyMissing } from '../../disk/read-bounded.ts';
import { fittingSize } from '../../history/fitting-size.ts';
import { imageSize, type ImageSize } from '../../history/image-size.ts';
import { imageFormat } from './image-format.ts';
import type { ResizeImage } from './resize-image.ts';

export type ImageProblem = Outcome<'image-unreadable' | 'image-unsupported' | 'image-too-large' | 'image-denied'>;

/** Larger files are refused: they would fill a rollout and no provider takes them. */
const mostBytes = 10 * 1024 * 1024;

/** Larger pictures are not decoded: each pixel takes up to 16 bytes of memory. Cameras of phones make 50 million. */
const mostPixels = 50_000_000;

const dataUrl = /^data:image\/[\w.+-]+;base64,/;

interface ImageLoading extends Pick<BoundedReading, 'denies'> {
  readonly resize: ResizeImage;
  readonly signal?: AbortSignal;
}

/**
 * Reads a picture for the model: a file, or a data URL that holds it. Its bytes decide what it is, not its name; one that
 * is cut off is refused, and one that is larger than models take is made smaller.
 */
export async function loadImage(path: string, cwd: string, loading: ImageLoading): Promise<UserImage | ImageProblem> {
  const read = readImage(path, cwd, loading);
  return 'code' in read ? read : pictureOf(read.name, read.bytes, loading);
}

interface ReadImage {
  /** What the model and screens read. */
  readonly name: string;
  readonly bytes: Buffer;
}

function readImage(path: string, cwd: string, { denies }: ImageLoading): ReadImage | ImageProblem {
  const head = dataUrl.exec(path)?.[0];
  if (head !== undefined) return imageIn(path.slice(head.length));
  if (/^(?:https?|data):/.test(path)) return notHere(path);
  const absolute = resolve(cwd, path);
  const file = readBounded(absolute, { ...(denies === undefined ? {} : { denies }), maxBytes: mostBytes });
  if (file.kind === 'missing') return unread(path, { why: 'failed', reason: whyMissing(absolute) });
  if (file.kind === 'unread') return unread(path, file);
  return { name: path, bytes: file.bytes };
}

async function pictureOf(path: string, bytes: Buffer, loading: ImageLoading): Promise<UserImage | ImageProblem> {
  const found = imageFormat(bytes);
  if (found === undefined) {
    const next = 'Convert it to PNG, JPEG, GIF or WebP.';
    return { code: 'image-unsupported', message: `${path} is not an image in a format that models accept.`, next };
  }
  const { format, whole } = found;
  const size = imageSize({ length: bytes.length, at: (index) => bytes[index] ?? 0 });
  if (!whole || size === undefined) {
    const message = `${path} begins like an image (${format}), but it is incomplete or damaged.`;
    return { code: 'image-unsupported', message, next: 'Save the image again as PNG, JPEG, GIF or WebP.' };
  }
  const to = fittingSize(size);
  if (to === size) return { path, dataUrl: `data:image/${format};base64,${bytes.toString('base64')}` };
  if (size.width * size.height > mostPixels) {
    return tooLarge(`The image ${path} has ${sizeText(size)} pixels; the limit is ${mostPixels / 1_000_000} million.`);
  }
  const made = await loading.resize({ bytes, format, to }, loading.signal);
  if (made.kind === 'failed') {
    const message = `The image ${path} has ${sizeText(size)} pixels, more than models take, and Capstan could not make it smaller: ${made.why}.`;
    return { code: 'image-unsupported', message, next: `Resize it to at most ${sizeText(to)} pixels.` };
  }
  return {
    path,
    dataUrl: `data:image/${made.format};base64,${Buffer.from(made.bytes).toString('base64')}`,
    resized: { from: sizeText(size), to: sizeText(to) },
  };
}

function sizeText({ width, height }: ImageSize): string {
  return `${width}x${height}`;
}

/** What stands in a message itself has no path: the model and screens read this name. */
const unnamed = 'picture';

function imageIn(base64: string): ReadImage | ImageProblem {
  const size = Math.floor((base64.length * 3) / 4);
  if (size > mostBytes) return unread(unnamed, { why: 'too-large', reason: '', size });
  return { name: unnamed, bytes: Buffer.from(base64, 'base64') };
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
    return tooLarge(message);
  }
  const message = `The image ${path} cannot be read: ${reason}.`;
  return { code: 'image-unreadable', message, next: 'Check the path: it must be a file that you can read.' };
}

function tooLarge(message: string): ImageProblem {
  return { code: 'image-too-large', message, next: 'Make it smaller, for example by halving its width and height.' };
}
