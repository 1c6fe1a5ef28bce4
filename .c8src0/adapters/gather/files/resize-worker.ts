// oxlint-disable-next-line import/no-unassigned-import -- it must run before the decoder's module is compiled.
import './limit-wasm-memory.ts';
import type { ImageToResize, ResizeResult } from './load-image.ts';
import photon from '@silvia-odwyer/photon-node';
import { parentPort, workerData } from 'node:worker_threads';

// Worker program: makes one image smaller, in a thread that ends with it (`image-resizer.ts`).

const jpegQuality = 88;
const { bytes, format, to } = workerData as ImageToResize;
const whole = photon.PhotonImage.new_from_byteslice(bytes);
// Sharp enough for text on a screen, in a third of the time of the finest filter.
const small = photon.resize(whole, to.width, to.height, photon.SamplingFilter.CatmullRom);
whole.free();
const result: ResizeResult = { kind: 'resized', ...encoded() };
parentPort?.postMessage(result, []);

/** An animated image becomes its first frame. */
function encoded(): Pick<ResizeResult & { kind: 'resized' }, 'format' | 'bytes'> {
  if (format === 'jpeg') return { format, bytes: withExif(small.get_bytes_jpeg(jpegQuality), bytes) };
  if (format === 'webp') return { format, bytes: small.get_bytes_webp() };
  return { format: 'png', bytes: small.get_bytes() };
}

/** Copies the original's metadata, which hold the orientation of a photo. The decoder and encoder ignore them. */
function withExif(made: Uint8Array, original: Uint8Array): Uint8Array {
  const exif = exifSegment(original);
  return exif === undefined ? made : Buffer.concat([made.subarray(0, 2), exif, made.subarray(2)]);
}

/** The EXIF segment with its marker and length. It precedes the pixel data, among other segments. */
function exifSegment(jpeg: Uint8Array): Uint8Array | undefined {
  for (let at = 2; at + 10 <= jpeg.length && jpeg[at] === 0xff;) {
    const end = at + 2 + (jpeg[at + 2] ?? 0) * 256 + (jpeg[at + 3] ?? 0);
    if (jpeg[at + 1] === 0xda) return undefined;
    const isExif = jpeg[at + 1] === 0xe1 && Buffer.from(jpeg.subarray(at + 4, at + 8)).toString('latin1') === 'Exif';
    if (isExif) return end <= jpeg.length ? jpeg.subarray(at, end) : undefined;
    at = Math.max(end, at + 4);
  }
  return undefined;
}
