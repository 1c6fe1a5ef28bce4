import type { Clock } from '../../ports/clock.ts';

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
