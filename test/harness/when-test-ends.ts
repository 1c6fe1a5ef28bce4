type Cleanup = () => void | Promise<void>;

const cleanups: Cleanup[] = [];

/** Registers a cleanup. The newest runs first: a thread is closed before its folder is removed. */
export function whenTestEnds(cleanup: Cleanup): void {
  cleanups.push(cleanup);
}

/** Called after each test by the setup of every suite: a module that suites share could say `afterEach` for the first. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}
