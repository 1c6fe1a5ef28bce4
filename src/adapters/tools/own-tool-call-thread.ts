import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The thread that a program's tool runs for: requests from the tool to that thread are answered differently. Loaded on
 * use.
 */
export const threadOfOwnCall = new AsyncLocalStorage<string>();
