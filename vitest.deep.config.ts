import { defineConfig } from 'vitest/config';
import { lateSuites } from './test/setup/late-suites.ts';
import { LongestFirst } from './test/setup/longest-first.ts';
import { randomSuites } from './test/setup/random-suites.ts';
import { reporters } from './test/setup/reporters.ts';
import { runFactor } from './test/setup/run-factor.ts';
import { workers } from './test/setup/workers.ts';

/** Kills, fuzz, oracles, the late suites, and the random ones with more runs: minutes, not seconds. */
export default defineConfig({
  test: {
    include: [
      'test/deep/**/*.test.ts',
      'test/oracles/**/*.test.ts',
      ...lateSuites,
      ...randomSuites(import.meta.dirname),
    ],
    // What comes after the first has namesakes in test/deep with many more runs; that of the answers tells the lies too.
    exclude: [
      '**/node_modules/**',
      'test/laws/thread-laws.test.ts',
      'test/fuzz/rollout-fuzz.test.ts',
      'test/compaction/adversary-{answers,lies}.test.ts',
    ],
    pool: 'forks',
    // Left to itself, Vitest has one worker on two cores.
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/setup/tools.ts'],
    setupFiles: ['test/setup/environment.ts'],
    // Here the processes are the point.
    env: { CAPSTAN_TEST_PROCESSES: '1' },
    provide: { runFactor: runFactor(4) },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 20_000 } },
    // A failure prints all that a command printed.
    chaiConfig: { truncateThreshold: 2000 },
    reporters: reporters('deep'),
  },
});
