import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../../src/surfaces/servers/mcp/wire/serve-stdio.ts';
import { serveHttp } from '../../../src/surfaces/servers/mcp/wire/serve-http.ts';
import { requireOracles } from '../require-oracles.ts';
import { fixtureApp } from './fixture-app.ts';
import { runOracle } from './run-oracle.ts';

const folder = mkdtempSync(join(tmpdir(), 'capstan-conformance-'));
let server: RunningServer & { readonly url: string };

beforeAll(async () => {
  await requireOracles();
  const served = { app: fixtureApp(), listsAliases: true, report: () => {} };
  server = await serveHttp(served, { host: '127.0.0.1', port: 0, token: undefined });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The counts in the last lines of the suite's output. */
function summary(output: string) {
  const scenarios = [...output.matchAll(/^([✓✗]) (\S+): \d+ passed, \d+ failed/gm)];
  const failed = scenarios.filter(([, sign]) => sign === '✗').map(([, , name = '']) => name);
  return { scenarios: scenarios.length, failed };
}

/** Scenarios that no revision requires. Capstan has no tasks, and no tool that wants arguments in headers. */
const optional = /^tasks-|^http-custom-header-server-validation$/;

test.each([
  ['conformance-0.1', [], 30],
  ['conformance-0.2', ['--requirements', '2026-07-28'], 37],
  ['conformance-0.2', ['--requirements', '2025-11-25'], 30],
])('the suite %s %j passes against our wire', async (suite, options, atLeast) => {
  const program = join('node_modules', suite, 'dist', 'index.js');
  const run = await runOracle([program, 'server', '--url', server.url, ...options], folder);
  const { scenarios, failed } = summary(run.output);
  expect(failed.filter((name) => !optional.test(name))).toEqual([]);
  expect(scenarios).toBeGreaterThanOrEqual(atLeast);
  expect(run.code).toBe(0);
});
