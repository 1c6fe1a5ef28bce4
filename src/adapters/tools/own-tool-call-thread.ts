import { AsyncLocalStorage } from 'node:async_hooks';

/** The thread for which a tool of the program runs: what the tool asks of that thread is answered differently. Loaded on use. */
export const threadOfOwnCall = new AsyncLocalStorage<string>();
