import { AsyncLocalStorage } from 'node:async_hooks';

const calls = new AsyncLocalStorage<string>();

/**
 * Runs a program's tool so that what it asks of its own thread can be separated from what others ask. Loaded on use.
 */
export function withinOwnCall<Result>(threadId: string, run: () => Result): Result {
  return calls.run(threadId, run);
}

/** The thread for which the tool runs that asks, if one does. */
export function threadOfOwnCall(): string | undefined {
  return calls.getStore();
}
