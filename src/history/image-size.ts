import { bigEndian, type Bytes, littleEndian, standsAt } from './base64-bytes.ts';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Width and height as the file itself says them; undefined for formats that models do not take and for broken files. */
export function imageSize(bytes: Bytes): ImageSize | undefined {
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  return size === undefined || size.width === 0 || size.height === 0 ? undefined : size;
}

function pngSize(bytes: Bytes): ImageSize | undefined {
  if (!standsAt(bytes, 0, '\x89PNG\r\n\x1a\n') || !standsAt(bytes, 12, 'IHDR')) return undefined;
  return { width: bigEndian(bytes, 16, 4), height: bigEndian(bytes, 20, 4) };
}

function gifSize(bytes: Bytes): ImageSize | undefined {
  if (!standsAt(bytes, 0, 'GIF87a') && !standsAt(bytes, 0, 'GIF89a')) return undefined;
  return { width: littleEndian(bytes, 6, 2), height: littleEndian(bytes, 8, 2) };
}

function webpSize(bytes: Bytes): ImageSize | undefined {
  if (!standsAt(bytes, 0, 'RIFF') || !standsAt(bytes, 8, 'WEBP')) return undefined;
  if (standsAt(bytes, 12, 'VP8X')) {
    return { width: littleEndian(bytes, 24, 3) + 1, height: littleEndian(bytes, 27, 3) + 1 };
  }
  if (standsAt(bytes, 12, 'VP8L')) {
    const packed = littleEndian(bytes, 21, 4);
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  if (!standsAt(bytes, 12, 'VP8 ')) return undefined;
  return { width: littleEndian(bytes, 26, 2) & 0x3fff, height: littleEndian(bytes, 28, 2) & 0x3fff };
}

/** The size stands in the first frame header. The segments before it say how long they are, and are jumped over. */
function jpegSize(bytes: Bytes): ImageSize | undefined {
  if (!standsAt(bytes, 0, '\xff\xd8')) return undefined;
  for (let at = 2; at < bytes.length;) {
    if (bytes.at(at) !== 0xff) return undefined;
    const marker = bytes.at(at + 1);
    // Any number of fill bytes may stand before a marker.
    if (marker === 0xff) at++;
    else if (isFrameHeader(marker)) return { width: bigEndian(bytes, at + 7, 2), height: bigEndian(bytes, at + 5, 2) };
    else at += 2 + Math.max(2, bigEndian(bytes, at + 2, 2));
  }
  return undefined;
}

/** C0 to CF begin a frame, but for the tables C4 and CC and the reserved C8. */
export function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
