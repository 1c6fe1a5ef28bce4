import { bigEndian, type ByteReader, hasTextAt, littleEndian } from '../../../core/history/media-parts.ts';
import { fittingSize, imageSize, type ImageSize, isJpegFrameMarker } from '../../../core/history/media-sizes.ts';
import type { Clock } from '../../../ports/system.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { UserImage } from '../../../protocol/user-input.ts';
import { type BoundedReading, readBounded, type UnreadFile, missingFileReason } from '../../disk/regular-files.ts';
import { resolve } from 'node:path';

export type ImageProblem = Outcome<'image-unreadable' | 'image-unsupported' | 'image-too-large' | 'image-denied'>;
/** Larger files are refused: they would fill a rollout, and no provider accepts them. */
const mostBytes = 10 * 1024 * 1024;
/** Larger images are not decoded: each pixel takes up to 16 bytes of memory. Phone cameras make 50 million. */
const mostPixels = 50_000_000;
const dataUrl = /^data:image\/[\w.+-]+;base64,/;

interface ImageLoading extends Pick<BoundedReading, 'denies'> {
  readonly resize: ResizeImage;
  readonly signal?: AbortSignal;
}

/** Reads an image file or data URL. The bytes decide the format. A truncated one is refused, one too large resized. */
export async function loadImage(path: string, cwd: string, loading: ImageLoading): Promise<UserImage | ImageProblem> {
  const read = readImage(path, cwd, loading);
  return 'code' in read ? read : pictureOf(read.name, read.bytes, loading);
}

type ReadImage = { readonly name: string; readonly bytes: Buffer };

function readImage(path: string, cwd: string, { denies }: ImageLoading): ReadImage | ImageProblem {
  const head = dataUrl.exec(path)?.[0];
  if (head !== undefined) return imageIn(path.slice(head.length));
  if (/^(?:https?|data):/.test(path)) return notHere(path);
  const absolute = resolve(cwd, path);
  const file = readBounded(absolute, { denies, maxBytes: mostBytes });
  if (file.kind === 'missing') return unread(path, { why: 'failed', reason: missingFileReason(absolute) });
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
  if (size.width * size.height > mostPixels)
    return tooLarge(`The image ${path} has ${sizeText(size)} pixels; the limit is ${mostPixels / 1_000_000} million.`);
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

const sizeText = ({ width, height }: ImageSize): string => `${width}x${height}`;
/** Name of an image inside a message, which has no path. */
const unnamed = 'picture';

function imageIn(base64: string): ReadImage | ImageProblem {
  const size = Math.floor((base64.length * 3) / 4);
  if (size > mostBytes) return unread(unnamed, { why: 'too-large', reason: '', size });
  return { name: unnamed, bytes: Buffer.from(base64, 'base64') };
}

/** Capstan does not fetch images from the web: a server might send it another image than the user saw. */
function notHere(path: string): ImageProblem {
  const message = `The image ${path.slice(0, 100)} is neither a file nor a data URL with base64.`;
  const next = 'Save the picture and give its path, or a data URL like data:image/png;base64,…';
  return { code: 'image-unreadable', message, next };
}

function unread(path: string, { why, reason, size = mostBytes }: Omit<UnreadFile, 'kind'>): ImageProblem {
  if (why === 'denied')
    return {
      code: 'image-denied',
      message: `The policy does not allow reading ${path}.`,
      next: 'Ask for another file.',
    };
  if (why === 'too-large')
    return tooLarge(`The image ${path} has ${(size / 1024 / 1024).toFixed(1)} MB; the limit is 10 MB.`);
  const message = `The image ${path} cannot be read: ${reason}.`;
  return { code: 'image-unreadable', message, next: 'Check the path: it must be a file that you can read.' };
}

function tooLarge(message: string): ImageProblem {
  return { code: 'image-too-large', message, next: 'Make it smaller, for example by halving its width and height.' };
}

type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp';

/** Detects the format by the first bytes, and walks the parts by their lengths. Undefined: models do not accept it. */
export function imageFormat(buffer: Buffer) {
  const bytes: ByteReader = { length: buffer.length, at: (index) => buffer[index] ?? 0 };
  const found = (format: ImageFormat, isWhole: () => boolean) => ({
    format,
    whole: imageSize(bytes) !== undefined && isWhole(),
  });
  if (hasTextAt(bytes, 0, '\x89PNG\r\n\x1a\n')) return found('png', () => isWholePng(bytes));
  if (hasTextAt(bytes, 0, '\xff\xd8\xff')) return found('jpeg', () => isWholeJpeg(bytes, buffer));
  if (hasTextAt(bytes, 0, 'GIF87a') || hasTextAt(bytes, 0, 'GIF89a')) return found('gif', () => isWholeGif(bytes));
  if (hasTextAt(bytes, 0, 'RIFF') && hasTextAt(bytes, 8, 'WEBP')) return found('webp', () => isWholeWebp(bytes));
  return undefined;
}

/** Chunks up to IEND, one of them with pixels. */
function isWholePng(bytes: ByteReader): boolean {
  let hasPixels = false;
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bigEndian(bytes, at, 4);
    if (hasTextAt(bytes, at + 4, 'IEND')) return hasPixels;
    if (hasTextAt(bytes, at + 4, 'IDAT') && length > 0) hasPixels = true;
    at += 12 + length;
  }
  return false;
}

/** A frame, then a scan, then the end mark, which pixel data cannot imitate. */
function isWholeJpeg(bytes: ByteReader, buffer: Buffer): boolean {
  let hasFrame = false;
  for (let at = 2; at + 4 <= bytes.length && bytes.at(at) === 0xff;) {
    const marker = bytes.at(at + 1);
    if (marker === 0xff) at++;
    else if (isMarkerAlone(marker)) at += 2;
    else {
      const next = at + 2 + bigEndian(bytes, at + 2, 2);
      if (marker === 0xda) return hasFrame && buffer.indexOf('\xff\xd9', next, 'latin1') > next;
      if (isJpegFrameMarker(marker)) hasFrame = true;
      at = Math.max(next, at + 4);
    }
  }
  return false;
}

/** TEM and the restart marks have no length after them. */
const isMarkerAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);

/** Blocks, one of them an image with data. Files that lack only the trailer exist, and readers open them. */
function isWholeGif(bytes: ByteReader): boolean {
  let hasPicture = false;
  let at = 13 + colorTableLength(bytes.at(10));
  while (at < bytes.length) {
    const kind = bytes.at(at);
    if (kind === 0x3b) return hasPicture;
    // Some writers leave empty blocks between others; every reader ignores them.
    if (kind === 0) at++;
    else if (kind === 0x21) at = endOfSubBlocks(bytes, at + 2);
    else if (kind === 0x2c) {
      const data = at + 11 + colorTableLength(bytes.at(at + 9));
      if (bytes.at(data) !== 0) hasPicture = true;
      at = endOfSubBlocks(bytes, data);
    } else return false;
  }
  return hasPicture && at === bytes.length;
}

const colorTableLength = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** The result is beyond the end of the file if the empty block that ends the others is missing. */
function endOfSubBlocks(bytes: ByteReader, begin: number): number {
  let at = begin;
  while (at < bytes.length && bytes.at(at) !== 0) at += bytes.at(at) + 1;
  return at + 1;
}

/** The stated length, and a chunk with pixels: of the image itself or of a frame. */
function isWholeWebp(bytes: ByteReader): boolean {
  // Some files lack the byte that pads the last chunk to an even length.
  const end = 8 + littleEndian(bytes, 4, 4);
  if (end > bytes.length + 1) return false;
  for (let at = 12; at + 8 < end;) {
    const length = littleEndian(bytes, at + 4, 4);
    if (at + 8 + length > Math.min(end, bytes.length)) return false;
    if (hasWebpPixels(bytes, at, length)) return true;
    at += 8 + length + (length % 2);
  }
  return false;
}

function hasWebpPixels(bytes: ByteReader, at: number, length: number): boolean {
  if (hasTextAt(bytes, at, 'VP8 ')) return length > 10 && hasTextAt(bytes, at + 11, '\x9d\x01\x2a');
  if (hasTextAt(bytes, at, 'VP8L')) return length > 5 && bytes.at(at + 8) === 0x2f;
  // A frame header takes 16 bytes, and the frame's own chunk begins with 8.
  return hasTextAt(bytes, at, 'ANMF') && length > 24;
}

export type ImageToResize = { readonly bytes: Uint8Array; readonly format: ImageFormat; readonly to: ImageSize };

export type ResizeResult =
  | { readonly kind: 'resized'; readonly format: ImageFormat; readonly bytes: Uint8Array }
  /** `why` completes a sentence. */
  | { readonly kind: 'failed'; readonly why: string };

export type ResizeImage = (image: ImageToResize, signal?: AbortSignal) => Promise<ResizeResult>;
export type ResizerOptions = { readonly root: string; readonly clock: Clock };
