import type { Clock, IdSource } from '../../ports/system.ts';
import { fileSystem as fs } from '../disk/file-system.ts';
import { randomFillSync } from 'node:crypto';

/** UUIDv7: milliseconds, a counter that orders ids of one millisecond, then random bits. */
export function systemIds(clock: Clock): IdSource {
  let lastMs = 0;
  let counter = 0;
  let pool: Buffer = Buffer.alloc(0);
  return {
    uuid() {
      const now = clock.now();
      if (now > lastMs) [lastMs, counter] = [now, Math.floor(Math.random() * 0x800)];
      // The counter is full, or the clock went back: borrow from the next millisecond.
      else if (++counter > 0xfff) [lastMs, counter] = [lastMs + 1, 0];
      if (pool.length === 0) pool = randomPool();
      const random = pool.subarray(0, 8);
      pool = pool.subarray(8);
      random[0] = (random[0]! & 0x3f) | 0x80;
      const tail = random.toString('hex');
      const time = lastMs.toString(16).padStart(12, '0');
      const count = counter.toString(16).padStart(3, '0');
      return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${tail.slice(0, 4)}-${tail.slice(4)}`;
    },
  };
}

/** Enough for 32 ids. Read from the system's file if there is one: loading Node's crypto would take 8 ms. */
function randomPool(): Buffer {
  const bytes = Buffer.alloc(256);
  try {
    const file = fs.openSync('/dev/urandom', fs.constants.O_RDONLY);
    try {
      if (fs.readSync(file, bytes, 0, bytes.length, null) === bytes.length) return bytes;
    } finally {
      fs.closeSync(file);
    }
  } catch {
    // Windows has no such file, and a container may hide it.
  }
  return randomFillSync(bytes);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep(milliseconds, signal) {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      if (signal?.aborted === true) done();
      else signal?.addEventListener('abort', done);
    });
  },
};
