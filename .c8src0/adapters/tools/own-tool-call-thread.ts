import { AsyncLocalStorage } from 'node:async_hooks';

/** The thread whose call runs a tool of the program: requests of that tool to this thread are answered differently. */
export const ownToolThreadStorage = new AsyncLocalStorage<string>();
