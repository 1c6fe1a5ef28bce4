import { defineConfig } from 'vitest/config';
import { reporters } from './test/setup/reporters.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/deep/**', 'test/oracles/**'],
    // Suites change the environment and the working directory, and send signals: each file gets a process.
    pool: 'forks',
    // Most suites wait for processes and disks more than they compute.
    maxWorkers: '100%',
    setupFiles: ['test/setup/environment.ts'],
    // A hang is told late rather than a busy machine taken for one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: reporters('fast'),
  },
});
