import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveHttp } from '../../../src/surfaces/servers/mcp/wire/serve-http.ts';
import { fakeApp } from '../../mcp-server/fake-app.ts';
import { requireOracles } from '../require-oracles.ts';
import { runOracle } from './run-oracle.ts';

const folder = mkdtempSync(join(tmpdir(), 'capstan-inspector-'));
const inspector = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const program = join(import.meta.dirname, '../../mcp-server/stdio-program.ts');

beforeAll(requireOracles);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function inspect(target: readonly string[], ...words: string[]) {
  const { code, standardOutput, output } = await runOracle([inspector, '--cli', ...target, ...words], folder);
  expect(code, output).toBe(0);
  return JSON.parse(standardOutput) as { tools?: { name: string }[]; structuredContent?: unknown };
}

test('the command line of the inspector lists and calls tools over standard streams', async () => {
  const target = [process.execPath, program];
  const { tools } = await inspect(target, '--method', 'tools/list');
  expect(tools?.map(({ name }) => name)).toContain('echo');
  const words = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hello'];
  expect((await inspect(target, ...words)).structuredContent).toEqual({ said: 'hello' });
});

test('and over HTTP, with the token', async () => {
  const served = { app: fakeApp(() => {}), listsAliases: false, report: () => {} };
  const server = await serveHttp(served, { host: '127.0.0.1', port: 0, token: 'secret' });
  const target = [server.url, '--transport', 'http', '--header', 'Authorization: Bearer secret'];
  const { tools } = await inspect(target, '--method', 'tools/list');
  expect(tools?.map(({ name }) => name)).toContain('echo');
  await server.close();
});
