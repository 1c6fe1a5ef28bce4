import photon from '@silvia-odwyer/photon-node';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { imageSize } from '../../src/core/history/media-sizes.ts';
import { largePng } from '../harness/large-png.ts';
import { systemClock } from '../../src/adapters/gather/clock-and-ids.ts';
import { createImageResizer } from '../../src/adapters/gather/files/image-resizer.ts';
import { loadImage, type ResizeImage } from '../../src/adapters/gather/files/load-image.ts';

const folder = mkdtempSync(join(tmpdir(), 'capstan-images-'));
afterAll(() => rmSync(folder, { recursive: true }));
const root = join(import.meta.dirname, '../..');
const resize = createImageResizer({ root, clock: systemClock });

async function load(bytes: Uint8Array, how: { resize?: ResizeImage; signal?: AbortSignal } = {}) {
  writeFileSync(join(folder, 'picture'), bytes);
  const loaded = await loadImage('picture', folder, { resize, ...how });
  if ('code' in loaded) return loaded;
  const [head = '', data = ''] = loaded.dataUrl.split(',');
  const sent = Buffer.from(data, 'base64');
  const size = imageSize({ length: sent.length, at: (index) => sent[index] ?? 0 });
  return { head, sent, size, resized: loaded.resized };
}

const stripes = (width: number, height: number) =>
  new photon.PhotonImage(new Uint8Array(width * height * 4).fill(200), width, height);
const never: ResizeImage = () => Promise.reject(new Error('This picture must not be decoded.'));

describe('a picture that models take', () => {
  it('is sent byte for byte', async () => {
    const bytes = largePng(2048, 1248);
    expect(await load(bytes, { resize: never })).toMatchObject({ sent: bytes, resized: undefined });
  });
});

describe('a larger picture', () => {
  it('is made smaller and says so, in its own format', async () => {
    const resized = { from: '2500x40', to: '2048x32' };
    const size = { width: 2048, height: 32 };
    const [png, webp] = [await load(largePng(2500, 40)), await load(stripes(2500, 40).get_bytes_webp())];
    expect(png).toMatchObject({ head: 'data:image/png;base64', size, resized });
    expect(webp).toMatchObject({ head: 'data:image/webp;base64', size, resized });
  });

  it('keeps what says which side of a photograph is up', async () => {
    const jpeg = Buffer.from(stripes(2500, 40).get_bytes_jpeg(80));
    const exif = Buffer.from('\xff\xe1\0\x0cExif\0\0\x11\x22\x33\x44', 'latin1');
    const photograph = Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
    const made = await load(photograph);
    expect(made).toMatchObject({ head: 'data:image/jpeg;base64', size: { width: 2048, height: 32 } });
    expect('sent' in made && made.sent.subarray(0, 16)).toEqual(photograph.subarray(0, 16));
  });

  it('is refused by its header when decoding would fill the memory', async () => {
    const bomb = await load(largePng(50_000, 50_000, { pixels: false }), { resize: never });
    expect(bomb).toMatchObject({
      code: 'image-too-large',
      message: 'The image picture has 50000x50000 pixels; the limit is 50 million.',
    });
  });

  it('is refused when its parts say something else than its header, without filling the memory', async () => {
    const inner = Buffer.from(stripes(64, 64).get_bytes_webp()).subarray(12);
    // The picture inside says 16383x16383.
    inner.writeUInt32LE(0x0fffbffe, 9);
    const canvas = Buffer.from('VP8X\x0a\0\0\0\0\0\0\0\xb7\x0b\0\xcf\x07\0', 'latin1');
    const file = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), canvas, inner]);
    file.writeUInt32LE(file.length - 8, 4);
    expect(await load(file)).toMatchObject({
      code: 'image-unsupported',
      message: expect.stringContaining(
        '3000x2000 pixels, more than models take, and Capstan could not make it smaller',
      ),
    });
  });

  it('is not waited for when the call is stopped', async () => {
    const stop = new AbortController();
    const loading = load(largePng(4000, 3000), { signal: stop.signal });
    stop.abort();
    expect(await loading).toMatchObject({ message: expect.stringContaining('it was stopped') });
  });

  it('is refused in words where the part that resizes is missing', async () => {
    const missing = createImageResizer({ root: folder, clock: systemClock });
    expect(await load(largePng(2500, 40), { resize: missing })).toMatchObject({
      message: expect.stringContaining('this installation lacks the part that resizes images'),
      next: 'Resize it to at most 2048x32 pixels.',
    });
  });
});
