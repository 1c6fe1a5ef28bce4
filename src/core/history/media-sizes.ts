import { bigEndian, type ByteReader, hasTextAt, littleEndian } from './media-parts.ts';

export type ImageSize = { readonly width: number; readonly height: number };

/** Width and height recorded in the file; undefined for broken files and formats that models do not take. */
export function imageSize(bytes: ByteReader): ImageSize | undefined {
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  return size === undefined || size.width === 0 || size.height === 0 ? undefined : size;
}

function pngSize(bytes: ByteReader): ImageSize | undefined {
  if (!hasTextAt(bytes, 0, '\x89PNG\r\n\x1a\n') || !hasTextAt(bytes, 12, 'IHDR')) return undefined;
  return { width: bigEndian(bytes, 16, 4), height: bigEndian(bytes, 20, 4) };
}

function gifSize(bytes: ByteReader): ImageSize | undefined {
  if (!hasTextAt(bytes, 0, 'GIF87a') && !hasTextAt(bytes, 0, 'GIF89a')) return undefined;
  return { width: littleEndian(bytes, 6, 2), height: littleEndian(bytes, 8, 2) };
}

function webpSize(bytes: ByteReader): ImageSize | undefined {
  if (!hasTextAt(bytes, 0, 'RIFF') || !hasTextAt(bytes, 8, 'WEBP')) return undefined;
  if (hasTextAt(bytes, 12, 'VP8X'))
    return { width: littleEndian(bytes, 24, 3) + 1, height: littleEndian(bytes, 27, 3) + 1 };
  if (hasTextAt(bytes, 12, 'VP8L')) {
    const packed = littleEndian(bytes, 21, 4);
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  if (!hasTextAt(bytes, 12, 'VP8 ')) return undefined;
  return { width: littleEndian(bytes, 26, 2) & 0x3fff, height: littleEndian(bytes, 28, 2) & 0x3fff };
}

/** The first frame header contains the size. Segments before it give their length and are skipped. */
function jpegSize(bytes: ByteReader): ImageSize | undefined {
  if (!hasTextAt(bytes, 0, '\xff\xd8')) return undefined;
  for (let at = 2; at < bytes.length;) {
    if (bytes.at(at) !== 0xff) return undefined;
    const marker = bytes.at(at + 1);
    // Any number of fill bytes may precede a marker.
    if (marker === 0xff) at++;
    else if (isJpegFrameMarker(marker))
      return { width: bigEndian(bytes, at + 7, 2), height: bigEndian(bytes, at + 5, 2) };
    else at += 2 + Math.max(2, bigEndian(bytes, at + 2, 2));
  }
  return undefined;
}

/** C0 to CF begin a frame, except for the tables C4 and CC and the reserved C8. */
export const isJpegFrameMarker = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Limits at detail `high`. Providers scale down a picture with a longer side or with more squares of 32 pixels. */
const longestSide = 2048;
const mostPatches = 2500;
const patchSide = 32;

/** The largest size of the same shape that models take unscaled; the same object if the picture fits. */
export function fittingSize(size: ImageSize): ImageSize {
  if (fits(size)) return size;
  const bySide = longestSide / Math.max(size.width, size.height);
  const byArea = Math.sqrt((mostPatches * patchSide ** 2) / (size.width * size.height));
  let scale = Math.min(1, bySide, byArea);
  // A partly covered square counts as a whole one.
  while (!fits(scaled(size, scale))) scale *= 0.99;
  return scaled(size, scale);
}

function fits({ width, height }: ImageSize): boolean {
  const patches = Math.ceil(width / patchSide) * Math.ceil(height / patchSide);
  return Math.max(width, height) <= longestSide && patches <= mostPatches;
}

function scaled({ width, height }: ImageSize, scale: number): ImageSize {
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}

/** Playing time; undefined if the file does not state it in a form supported here (WAV, MP3). */
export function audioSeconds(bytes: ByteReader): number | undefined {
  const seconds = wavSeconds(bytes) ?? mp3Seconds(bytes);
  return seconds === undefined || !Number.isFinite(seconds) ? undefined : seconds;
}

function wavSeconds(bytes: ByteReader): number | undefined {
  if (!hasTextAt(bytes, 0, 'RIFF') || !hasTextAt(bytes, 8, 'WAVE')) return undefined;
  let bytesPerSecond: number | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = littleEndian(bytes, at + 4, 4);
    if (hasTextAt(bytes, at, 'fmt ')) bytesPerSecond = littleEndian(bytes, at + 16, 4);
    // A streamed recording claims more data than it has.
    if (hasTextAt(bytes, at, 'data'))
      return bytesPerSecond === undefined ? undefined : Math.min(length, bytes.length - at - 8) / bytesPerSecond;
    at += 8 + length + (length % 2);
  }
  return undefined;
}

/** Layer III only. Kilobits per second by the index in a frame's header. */
const version1Rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const version2Rates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const sampleRates = [44_100, 48_000, 32_000];

/** Frames may have different bit rates, so each one is read. */
function mp3Seconds(bytes: ByteReader): number | undefined {
  let at = hasTextAt(bytes, 0, 'ID3') ? 10 + tagLength(bytes) : 0;
  let seconds = 0;
  for (let frame = mp3Frame(bytes, at); frame !== undefined; frame = mp3Frame(bytes, at)) {
    seconds += frame.seconds;
    at += frame.length;
  }
  return seconds === 0 ? undefined : seconds;
}

/** The length in an ID3 tag, which stores seven bits in each byte. */
const tagLength = (bytes: ByteReader): number =>
  [6, 7, 8, 9].reduce((length, at) => length * 128 + (bytes.at(at) & 0x7f), 0);

function mp3Frame(bytes: ByteReader, at: number): { readonly seconds: number; readonly length: number } | undefined {
  const header = bigEndian(bytes, at, 4);
  const [sync, version, layer] = [header >>> 21, (header >>> 19) & 3, (header >>> 17) & 3];
  if (sync !== 0x7ff || version === 1 || layer !== 1) return undefined;
  const kilobits = (version === 3 ? version1Rates : version2Rates)[(header >>> 12) & 15];
  const fullRate = sampleRates[(header >>> 10) & 3];
  if (kilobits === undefined || kilobits === 0 || fullRate === undefined) return undefined;
  const rate = fullRate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = version === 3 ? 1152 : 576;
  return { seconds: samples / rate, length: Math.floor((samples * kilobits * 125) / rate) + ((header >>> 9) & 1) };
}
