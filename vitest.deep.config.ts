import { globSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { lateSuites } from './test/setup/late-suites.ts';
import { LongestFirst } from './test/setup/longest-first.ts';
import { ownProcess, sharedProcess } from './test/setup/own-process.ts';
import { randomSuites } from './test/setup/random-suites.ts';
import { reporters } from './test/setup/reporters.ts';
import { runFactor } from './test/setup/run-factor.ts';
import { testTags } from './test/setup/test-tags.ts';
import { workers } from './test/setup/workers.ts';

const apart = [
  '**/node_modules/**',
  // These have namesakes in test/deep with many more runs; that of the answers tells the lies too.
  'test/laws/thread-laws.test.ts',
  'test/fuzz/rollout-fuzz.test.ts',
  'test/compaction/adversary-{answers,lies}.test.ts',
];
const cwd = import.meta.dirname;
const late = globSync([...lateSuites, 'test/security/*.test.ts'], { cwd }).concat(randomSuites(cwd));
/** Attacks and failures of the disk or the terminal: the processes are the point. */
const attacks = ['test/{deep,security,exec-bad-input}/**/*.test.ts', 'test/exec/terminal.test.ts'];
const alone = new Set(globSync([...attacks, ...ownProcess], { cwd }));

/** Kills, fuzz, oracles, the late suites, and the random ones with more runs: minutes, not seconds. */
export default defineConfig({
  test: {
    pool: 'forks',
    // Left to itself, Vitest has one worker on two cores.
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/setup/tools.ts'],
    setupFiles: ['test/setup/environment.ts'],
    provide: { runFactor: runFactor(3) },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 20_000 } },
    tags: testTags,
    // A failure prints all that a command printed.
    chaiConfig: { truncateThreshold: 2000 },
    reporters: reporters('deep'),
    projects: [
      {
        extends: true,
        test: {
          name: 'own',
          include: ['test/{deep,oracles}/**/*.test.ts', ...late.filter((name) => alone.has(name))],
          exclude: apart,
          env: { CAPSTAN_TEST_PROCESSES: '1' },
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...sharedProcess,
          name: 'shared',
          include: late.filter((name) => !alone.has(name)),
          exclude: apart,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
