import { defineConfig } from 'vitest/config';
import { reporters } from './test/setup/reporters.ts';

/**
 * Suites that leave their process as they found it: pure rooms, and threads inside the process. They share processes,
 * which saves each of them the start and the loading of the engine. test/shared-process.test.ts holds them to it.
 */
export const shared = [
  'src/{policy,config,envelope,fragments,world,history,compaction,state,replay,protocol,telemetry}/**/*.test.ts',
  'test/{compaction,envelope,fragments,state,tokens}/**/*.test.ts',
];
const apart = ['**/node_modules/**', 'test/deep/**', 'test/oracles/**'];

export default defineConfig({
  test: {
    pool: 'forks',
    // Most suites wait for processes and disks more than they compute.
    maxWorkers: '100%',
    setupFiles: ['test/setup/environment.ts'],
    // A hang is told late rather than a busy machine taken for one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: reporters('fast'),
    projects: [
      // Suites change the environment and the working directory, and send signals: each file gets a process.
      {
        extends: true,
        test: {
          name: 'own',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...apart, ...shared],
        },
      },
      { extends: true, test: { name: 'shared', include: shared, exclude: apart, isolate: false } },
    ],
  },
});
