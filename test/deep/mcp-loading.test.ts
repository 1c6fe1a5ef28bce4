import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';

const preload = join(import.meta.dirname, 'log-loads.mjs');
const server = join(import.meta.dirname, '../mcp/scripted-server.ts');

test('without a server none of the code of MCP is loaded, and the request says nothing of it', async () => {
  const { model, place } = await scene([answer({ items: [say('Hello.')] }), answer({ items: [say('Hello.')] })]);
  const file = join(place.root, 'loads');
  const loads = async (): Promise<readonly string[]> => {
    writeFileSync(file, '');
    const env = { NODE_OPTIONS: `--import ${preload}`, LOADS_FILE: file };
    const ended = await place.start(['exec', 'Say hello.'], { env }).finished;
    expect([ended.code, ended.stdout], ended.stderr).toEqual([0, 'Hello.\n']);
    return readFileSync(file, 'utf8').split('\n');
  };
  const ofMcp = (urls: readonly string[]) =>
    urls.filter((url) => /thread-mcp|modelcontextprotocol|src\/mcp\//.test(url));
  const plain = await loads();
  expect(plain.length).toBeGreaterThan(3);
  expect(ofMcp(plain)).toEqual([]);
  const before = model.requests[0]!.body;

  const [planFile, logFile] = [join(place.root, 'plan.json'), join(place.root, 'log')];
  writeFileSync(planFile, JSON.stringify({ tools: [] }));
  const args = JSON.stringify([server, planFile, logFile]);
  const table = `\n[mcp_servers.s]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`;
  appendFileSync(join(place.home, 'config.toml'), table);
  expect(ofMcp(await loads())).not.toEqual([]);
  expect(existsSync(logFile)).toBe(true);
  const names = (body: JsonObject): readonly unknown[] =>
    (body['tools'] as unknown as readonly JsonObject[]).map(({ name }) => name);
  const offered = names(model.requests[1]!.body);
  expect(offered).toEqual([...names(before), 'tool_search', 'call_tool']);
  // Not just the letters: the name of the folder is random.
  expect(JSON.stringify(before)).not.toMatch(/mcp_|\bMCP\b/);
});
