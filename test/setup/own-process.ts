/** Suites that count, signal or kill processes. */
const processes = [
  'src/adapters/exec/**/*.test.ts',
  'test/{demo,mcp-server,sandbox,rollout}/**/*.test.ts',
  'test/lock.test.ts',
];
/** Suites that fill the memory: whatever a large process starts takes longer to start. */
const large = [
  'src/adapters/rollout/{store/crash-law,lines/read-lines,lines/read-tail,lines/split-lines}.test.ts',
  'test/compaction/no-usage.test.ts',
  'test/{fragments,fuzz,tokens}/**/*.test.ts',
];

/** Suites that have a process of their own. */
export const ownProcess: readonly string[] = [...processes, ...large];

/** Options of the others, which share processes: that saves each the start and the loading of the engine. */
export const sharedProcess = { isolate: false, setupFiles: ['test/setup/same-process.ts'] };
