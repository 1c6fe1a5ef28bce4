import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '../../src');

/** The sources that an entry loads when it starts, without types and imports on use: what the build puts in one file. */
function loadedAtStart(entry: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [join(source, entry)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*? from '(\.[^']+)';/gm);
    for (const [, specifier = ''] of imports) waiting.push(resolve(dirname(path), specifier));
  }
  return new Set([...found].map((path) => relative(source, path)));
}

test('a start loads nothing of the proxy, which most commands do not have', () => {
  const loaded = [...loadedAtStart('surfaces/exec/run-exec.ts')].toSorted();
  expect(loaded).toContain('adapters/sandbox/linux/linux-sandbox.ts');
  expect(
    loaded.filter((path) => /^(?:adapters\/sandbox|core\/policy)\/network\/|join-proxy|path-sockets/.test(path)),
  ).toEqual([
    // Profiles name hosts in one spelling, and answers of the session are held against their lists.
    'core/policy/network/decide-connection.ts',
    'core/policy/network/host-lists.ts',
    'core/policy/network/host-name.ts',
  ]);
});

test('a start loads nothing that reads or lists skills, which most homes do not have', () => {
  const loaded = ['surfaces/exec/run-exec.ts', 'surfaces/cli/run-command-line.ts', 'index.ts'].map(loadedAtStart);
  expect(
    loaded.flatMap((paths) => [...paths].filter((path) => /^adapters\/skills\/|select-skills/.test(path))),
  ).toEqual([]);
});

test('only the MCP server and the connections to MCP servers load the packages of the protocol', () => {
  const sources = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const users = sources.filter((path) => readFileSync(join(source, path), 'utf8').includes("'@modelcontextprotocol/"));
  expect(users.length).toBeGreaterThan(5);
  expect(users.filter((path) => !/^(?:surfaces\/servers\/mcp\/wire|adapters\/mcp)\//.test(path))).toEqual([]);
  const loaded = ['surfaces/exec/run-exec.ts', 'surfaces/cli/run-command-line.ts', 'index.ts'].map(loadedAtStart);
  const ofMcp = /^(?:surfaces\/servers\/mcp|adapters\/mcp)\/|^adapters\/tools\/mcp-|thread-mcp/;
  expect(loaded.flatMap((paths) => [...paths].filter((path) => ofMcp.test(path)))).toEqual([]);
});

test('a start loads nothing that reads or runs hooks: most users have none', () => {
  const loaded = ['surfaces/exec/run-exec.ts', 'surfaces/cli/run-command-line.ts', 'index.ts'].map(loadedAtStart);
  const ofHooks = /^(?:adapters\/hooks|engine\/thread\/hooks)\/|thread-hooks/;
  expect(loaded.flatMap((paths) => [...paths].filter((path) => ofHooks.test(path)))).toEqual([]);
  expect(loaded.every((paths) => paths.has('adapters/gather/hook-and-skill-places.ts') || !paths.has('index.ts'))).toBe(
    true,
  );
});

test('a start loads nothing of WebSockets, which most providers do not have', () => {
  const loaded = ['surfaces/exec/run-exec.ts', 'surfaces/cli/run-command-line.ts', 'index.ts'].map(loadedAtStart);
  const ofSockets = /(?:open|web|scripted)-socket|^adapters\/model\/responses\/socket-/;
  expect(loaded.flatMap((paths) => [...paths].filter((path) => ofSockets.test(path)))).toEqual([]);
  const sources = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const users = sources.filter((path) => /^import (?!type ).*'ws';$/m.test(readFileSync(join(source, path), 'utf8')));
  expect(users.toSorted()).toEqual(['adapters/model/http/network/open-socket.ts', 'testing/scripted-socket.ts']);
  expect(loadedAtStart('testing/index.ts')).not.toContain('testing/scripted-socket.ts');
});

test('a start loads one wire format: others come with the providers that speak them', () => {
  const loaded = ['surfaces/exec/run-exec.ts', 'surfaces/cli/run-command-line.ts', 'index.ts'].map(loadedAtStart);
  expect(
    loaded.flatMap((paths) =>
      [...paths].filter((path) => /^adapters\/model\/(?!http\/|responses\/)[^/]+\//.test(path)),
    ),
  ).toEqual([]);
  expect(loaded[0]).toContain('adapters/model/responses/client.ts');
});

test('a start loads nothing that reads patterns or checks schemas of others', () => {
  const sources = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?<!\.test)\.ts$/.test(path),
  );
  const library = /^import (?!type ).* from '(?:re2js|@cfworker\/json-schema)';$/m;
  expect(sources.filter((path) => library.test(readFileSync(join(source, path), 'utf8')))).toEqual([
    'base/bounded-pattern.ts',
  ]);
  const loaded = ['surfaces/exec/run-exec.ts', 'surfaces/cli/run-command-line.ts', 'index.ts'].map(loadedAtStart);
  const unwanted = /^base\/bounded-pattern|^core\/envelope\/json-schema/;
  expect(loaded.flatMap((paths) => [...paths].filter((path) => unwanted.test(path)))).toEqual([]);
});
