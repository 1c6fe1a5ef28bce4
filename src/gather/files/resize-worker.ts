// oxlint-disable-next-line import/no-unassigned-import -- it must run before the decoder's module is compiled.
import './limit-wasm-memory.ts';
import photon from '@silvia-odwyer/photon-node';
import { parentPort, workerData } from 'node:worker_threads';
import type { ImageToResize, ResizeResult } from './resize-image.ts';
import { withExif } from './exif-segment.ts';

/** A program of its own: makes one picture smaller, in a thread that ends with it (`image-resizer.ts`). */

const jpegQuality = 88;

const { bytes, format, to } = workerData as ImageToResize;
const whole = photon.PhotonImage.new_from_byteslice(bytes);
// Sharp enough for text on a screen, in a third of the time of the finest filter.
const small = photon.resize(whole, to.width, to.height, photon.SamplingFilter.CatmullRom);
whole.free();
const result: ResizeResult = { kind: 'resized', ...encoded() };
parentPort?.postMessage(result, []);

/** A moving picture becomes its first frame. */
function encoded(): Pick<ResizeResult & { kind: 'resized' }, 'format' | 'bytes'> {
  if (format === 'jpeg') return { format, bytes: withExif(small.get_bytes_jpeg(jpegQuality), bytes) };
  if (format === 'webp') return { format, bytes: small.get_bytes_webp() };
  return { format: 'png', bytes: small.get_bytes() };
}
