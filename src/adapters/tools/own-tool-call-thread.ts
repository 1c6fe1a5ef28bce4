import { AsyncLocalStorage } from 'node:async_hooks';

/** The thread for which a program's tool runs: what the tool asks of it is answered otherwise. Loaded on use. */
export const threadOfOwnCall = new AsyncLocalStorage<string>();
