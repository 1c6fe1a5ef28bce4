import { bigEndian, type Bytes, littleEndian, standsAt } from '../../history/base64-bytes.ts';
import { imageSize, isFrameHeader } from '../../history/image-size.ts';

export type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp';

/**
 * What a file is by its first bytes, and whether the rest has the parts that a picture of that format needs: walks from
 * part to part by the lengths that the file states. Undefined for what models do not take.
 */
export function imageFormat(buffer: Buffer) {
  const bytes: Bytes = { length: buffer.length, at: (index) => buffer[index] ?? 0 };
  const found = (format: ImageFormat, isWhole: () => boolean) => ({
    format,
    whole: imageSize(bytes) !== undefined && isWhole(),
  });
  if (standsAt(bytes, 0, '\x89PNG\r\n\x1a\n')) return found('png', () => isWholePng(bytes));
  if (standsAt(bytes, 0, '\xff\xd8\xff')) return found('jpeg', () => isWholeJpeg(bytes, buffer));
  if (standsAt(bytes, 0, 'GIF87a') || standsAt(bytes, 0, 'GIF89a')) return found('gif', () => isWholeGif(bytes));
  if (standsAt(bytes, 0, 'RIFF') && standsAt(bytes, 8, 'WEBP')) return found('webp', () => isWholeWebp(bytes));
  return undefined;
}

/** Chunks up to IEND, one of them with pixels. */
function isWholePng(bytes: Bytes): boolean {
  let hasPixels = false;
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bigEndian(bytes, at, 4);
    if (standsAt(bytes, at + 4, 'IEND')) return hasPixels;
    if (standsAt(bytes, at + 4, 'IDAT') && length > 0) hasPixels = true;
    at += 12 + length;
  }
  return false;
}

/** A frame, a scan after it, and the end mark after that. Pixels never look like the end mark. */
function isWholeJpeg(bytes: Bytes, buffer: Buffer): boolean {
  let hasFrame = false;
  for (let at = 2; at + 4 <= bytes.length && bytes.at(at) === 0xff;) {
    const marker = bytes.at(at + 1);
    if (marker === 0xff) at++;
    else if (isMarkerAlone(marker)) at += 2;
    else {
      const next = at + 2 + bigEndian(bytes, at + 2, 2);
      if (marker === 0xda) return hasFrame && buffer.indexOf('\xff\xd9', next, 'latin1') > next;
      if (isFrameHeader(marker)) hasFrame = true;
      at = Math.max(next, at + 4);
    }
  }
  return false;
}

/** TEM and the restart marks have no length behind them. */
function isMarkerAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

/** Blocks up to the trailer, one of them a picture with data. Files that lack only the trailer exist, and readers open them. */
function isWholeGif(bytes: Bytes): boolean {
  let hasPicture = false;
  let at = 13 + colorTableLength(bytes.at(10));
  while (at < bytes.length) {
    const kind = bytes.at(at);
    if (kind === 0x3b) return hasPicture;
    // Some writers leave empty blocks between others, and every reader ignores them.
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

function colorTableLength(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Beyond the end of the file when the empty block that ends them is missing. */
function endOfSubBlocks(bytes: Bytes, begin: number): number {
  let at = begin;
  while (at < bytes.length && bytes.at(at) !== 0) at += bytes.at(at) + 1;
  return at + 1;
}

/** The length that the file states, and a chunk with pixels in it: of the picture itself or of a frame. */
function isWholeWebp(bytes: Bytes): boolean {
  // The byte that pads the last chunk to an even length is missing in some files.
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

function hasWebpPixels(bytes: Bytes, at: number, length: number): boolean {
  if (standsAt(bytes, at, 'VP8 ')) return length > 10 && standsAt(bytes, at + 11, '\x9d\x01\x2a');
  if (standsAt(bytes, at, 'VP8L')) return length > 5 && bytes.at(at + 8) === 0x2f;
  // The frame's place, size and duration take 16 bytes, and its own chunk begins with 8.
  return standsAt(bytes, at, 'ANMF') && length > 24;
}
