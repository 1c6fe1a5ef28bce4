import { deepStrictEqual, strictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import { casesOf } from './kit.ts';

const bytes = new TextEncoder().encode('what the model did not see');
const sha256 = createHash('sha256').update(bytes).digest('hex');

/** What is promised of bytes that are kept beside the lines. */
export const blobCases = casesOf('blobs', {
  'a blob is kept under the hash of its content, however often': async ({ store, other }) => {
    for (const blobs of [store.blobs, other.blobs]) {
      const { ref, kept, durable } = blobs.keep(bytes, 'always');
      deepStrictEqual([ref, kept], [{ sha256, bytes: bytes.length }, true]);
      await durable;
    }
    const loaded = await other.blobs.load(sha256);
    deepStrictEqual(loaded.kind === 'blob' && Uint8Array.from(loaded.bytes), bytes);
  },
  'a blob that is not there is missing, and no other name is one': async ({ store }) => {
    for (const name of [sha256, '../../etc/passwd', '']) {
      const loaded = await store.blobs.load(name);
      strictEqual(loaded.kind === 'missing' && loaded.code, 'blob-missing');
    }
  },
});
