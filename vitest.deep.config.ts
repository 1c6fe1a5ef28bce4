import { defineConfig } from 'vitest/config';
import { reporters } from './test/setup/reporters.ts';

/** Kills, fuzz and oracles: minutes, not seconds. */
export default defineConfig({
  test: {
    include: ['test/deep/**/*.test.ts', 'test/oracles/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'forks',
    setupFiles: ['test/setup/environment.ts'],
    // Here the processes are the point.
    env: { CAPSTAN_TEST_PROCESSES: '1' },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    reporters: reporters('deep'),
  },
});
