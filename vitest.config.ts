import { defineConfig } from 'vitest/config';
import { lateSuites } from './test/setup/late-suites.ts';
import { LongestFirst } from './test/setup/longest-first.ts';
import { ownProcess, sharedProcess } from './test/setup/own-process.ts';
import { reporters } from './test/setup/reporters.ts';
import { runFactor } from './test/setup/run-factor.ts';
import { runsEverything, testTags } from './test/setup/test-tags.ts';
import { workers } from './test/setup/workers.ts';

const late = runsEverything ? [] : lateSuites;
const apart = ['**/node_modules/**', 'test/deep/**', 'test/oracles/**', ...late];
/** Suites whose threads run commands. */
const commands = [
  'test/{commands,config,context,exec,exec-bad-input,formats,hooks,live,mcp,mcp-tools,network,replay,security,threads,tools,workspace}/**/*.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    // A worker lives for many suites: with more space for new objects it collects less often.
    execArgv: ['--max-semi-space-size=64'],
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/setup/tools.ts'],
    setupFiles: ['test/setup/environment.ts'],
    provide: { runFactor: runFactor(1) },
    // A hang is told late rather than a busy machine taken for one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // Of suites of attacks, a whole `npm test` runs a part; the deep tests run all of them.
    tags: testTags,
    ...(!runsEverything && { tagsFilter: ['!attack || representative'] }),
    // A failure prints all that a command printed.
    chaiConfig: { truncateThreshold: 2000 },
    reporters: reporters('fast'),
    // One group after the other, so that a process goes from file to file.
    projects: [
      { extends: true, test: { name: 'own', include: [...ownProcess], exclude: apart, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          ...sharedProcess,
          name: 'commands',
          include: commands,
          exclude: [...apart, ...ownProcess],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...sharedProcess,
          name: 'shared',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...apart, ...ownProcess, ...commands],
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
