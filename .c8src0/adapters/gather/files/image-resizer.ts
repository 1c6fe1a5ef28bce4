import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../ports/system.ts';
import { errorCode } from '../../../protocol/outcome.ts';
import type { ImageToResize, ResizeImage, ResizerOptions, ResizeResult } from './load-image.ts';

/** An image at the pixel limit takes 5 seconds. */
const mostMs = 60_000;

/** Decodes each image in a thread of its own, which frees its memory when it ends; one at a time. */
export function createImageResizer({ root, clock }: ResizerOptions): ResizeImage {
  const isSource = import.meta.url.endsWith('.ts');
  const program = join(root, isSource ? 'src/adapters/gather/files/resize-worker.ts' : 'dist/wasm/resize-worker.cjs');
  let last: Promise<unknown> = Promise.resolve();
  return (image, signal) => {
    const made = last.then(() => (signal?.aborted === true ? stopped : resizeApart(program, image, clock, signal)));
    last = made;
    return made;
  };
}

const stopped: ResizeResult = { kind: 'failed', why: 'it was stopped' };

async function resizeApart(program: string, image: ImageToResize, clock: Clock, signal: AbortSignal | undefined) {
  const worker = new Worker(program, { workerData: image, stdin: false, stdout: true, stderr: true, env: {} });
  const done = new AbortController();
  const ended = new Promise<ResizeResult>((resolve) => {
    worker.on('message', (answer: ResizeResult) => resolve(answer));
    worker.on('error', (error) => resolve({ kind: 'failed', why: whyFailed(error) }));
    worker.on('exit', () => resolve({ kind: 'failed', why: undecoded }));
    signal?.addEventListener('abort', () => resolve(stopped), { signal: done.signal });
  });
  const late: ResizeResult = { kind: 'failed', why: 'it took too long' };
  const result = await Promise.race([ended, clock.sleep(mostMs, done.signal).then(() => late)]);
  done.abort();
  await worker.terminate();
  return result;
}

const undecoded = 'it cannot be decoded';

/** The decoder gives no reasons. A missing file is one of ours. */
function whyFailed(error: unknown): string {
  const missing = ['ENOENT', 'MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'].includes(errorCode(error) ?? '');
  return missing ? 'this installation lacks the part that resizes images' : undecoded;
}
