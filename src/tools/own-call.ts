import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The thread for which a program's tool runs: what the tool asks of its own thread can be separated from what others
 * ask. Loaded on use.
 */
export const threadOfOwnCall = new AsyncLocalStorage<string>();
