import { readFileSync, writeFileSync } from 'node:fs';
import type { LiveThread } from './live-thread.ts';

/** Keeps what a process that is killed now leaves on the disk; `back` restores it where the thread is not open. */
export function killedNow({ place }: LiveThread): { back(live: LiveThread): Promise<void> } {
  const [path] = place.rollouts();
  const bytes = readFileSync(path!);
  return {
    async back(live) {
      await live.close();
      writeFileSync(path!, bytes);
    },
  };
}
