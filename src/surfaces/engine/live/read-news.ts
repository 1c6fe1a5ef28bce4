import type { FollowedThread } from './followed-thread.ts';
import { Follower } from './follower.ts';
import type { FollowOptions, LiveNews } from './live-thread.ts';

export function createFollower(thread: FollowedThread, options: FollowOptions): Follower {
  return new Follower(thread, options);
}

/** Reads them until their end. Leaving early, also while one is waited for, calls `leave`. */
export function readNews(follower: Follower, leave: () => void): AsyncIterableIterator<LiveNews> {
  return {
    async next() {
      try {
        const value = await follower.next();
        if (value !== undefined) return { done: false, value };
      } catch (error) {
        leave();
        throw error;
      }
      leave();
      return { done: true, value: undefined };
    },
    return() {
      leave();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
