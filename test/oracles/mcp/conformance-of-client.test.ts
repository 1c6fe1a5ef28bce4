import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireOracles } from '../require-oracles.ts';
import { runOracle } from './run-oracle.ts';

const folder = mkdtempSync(join(tmpdir(), 'capstan-conformance-client-'));
const client = `${process.execPath} ${join(import.meta.dirname, 'conformance-client.ts')}`;

beforeAll(requireOracles);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The fixture of the older suite names another issuer than its address, which a later revision requires clients to refuse. */
const contradicted = ['conformance-0.1 auth/2025-03-26-oauth-metadata-backcompat'];

// One after another: the suite's own way to run all starts every client at once.
test.each(['conformance-0.1', 'conformance-0.2'])(
  'every scenario of %s for clients that a revision requires passes',
  async (suite) => {
    const program = join('node_modules', suite, 'dist', 'index.js');
    const { output } = await runOracle([program, 'list'], folder);
    const section = /Client scenarios[^\n]*\n((?: {2}- .*\n?)+)/.exec(output)?.[1] ?? '';
    // Extensions are required by no revision.
    const rows = section.split('\n').filter((row) => row !== '' && !row.includes('[extension]'));
    const scenarios = rows.map((row) => row.trim().split(' ')[1] ?? '');
    expect(scenarios.length).toBeGreaterThanOrEqual(20);
    const failed: string[] = [];
    for (const scenario of scenarios) {
      const words = [program, 'client', '--command', client, '--scenario', scenario, '--timeout', '90000'];
      const run = await runOracle(words, folder);
      if (run.code !== 0) failed.push(`${suite} ${scenario}`);
    }
    expect(failed.filter((name) => !contradicted.includes(name))).toEqual([]);
  },
  1_800_000,
);
