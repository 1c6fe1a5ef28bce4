import { expect, test } from 'vitest';
import { readMcpServers } from '../servers/mcp-servers.ts';
import { parseAllowedServers } from './required-servers.ts';
import type { JsonObject } from '../../../protocol/json.ts';

function required(mcp_servers: JsonObject) {
  return parseAllowedServers({ name: 'managed', source: '/etc/r.toml', values: { mcp_servers } });
}

const configured = {
  docs: { url: 'https://docs.example.org/mcp' },
  files: { command: 'npx', args: ['-y', 'files@1.2'] },
  off: { command: 'off', enabled: false },
};

/** The servers that may be used. */
function used(mcp_servers: JsonObject): readonly string[] {
  const { servers, problems } = required(mcp_servers);
  expect(problems).toEqual([]);
  return readMcpServers(configured, servers).servers.map(({ name }) => name);
}

test('without the table every server is allowed, with an empty one none', () => {
  expect(parseAllowedServers({ name: 'managed', source: '', values: {} })).toEqual({ problems: [] });
  expect(readMcpServers(configured).servers).toHaveLength(2);
  expect(used({})).toEqual([]);
});

test('a server is allowed by its name and by what it is; arguments count only where they are named', () => {
  expect(used({ docs: { identity: { url: 'https://docs.example.org/mcp' } } })).toEqual(['docs']);
  expect(used({ docs: { identity: { url: 'https://docs.example.org/' } } })).toEqual([]);
  expect(used({ docs: { identity: { command: 'npx' } } })).toEqual([]);
  expect(used({ files: { identity: { command: 'npx' } } })).toEqual(['files']);
  expect(used({ other: { identity: { command: 'npx' } } })).toEqual([]);
  expect(used({ files: { identity: { url: 'npx' } } })).toEqual([]);
});

const exact = (value: string) => ({ match: 'exact', value });
const regex = (expression: string) => ({ match: 'regex', expression });

test('matchers hold for every argument in its place, and expressions for the whole text', () => {
  const files = (...args: readonly JsonObject[]) => ({ files: { identity: { command: { executable: 'npx', args } } } });
  expect(used(files(exact('-y'), regex('files@1\\..*')))).toEqual(['files']);
  expect(used(files(regex('files@1\\..*'), exact('-y')))).toEqual([]);
  expect(used(files(exact('-y')))).toEqual([]);
  expect(used(files(exact('-y'), regex('files'), exact('more')))).toEqual([]);
  expect(used(files(exact('-y'), regex('files|x')))).toEqual([]);
  const docs = (url: JsonObject) => ({ docs: { identity: { url } } });
  expect(used(docs({ match: 'prefix', value: 'https://docs.example.org/' }))).toEqual(['docs']);
  expect(used(docs(regex('^https://[a-z]+\\.example\\.org/mcp$')))).toEqual(['docs']);
  expect(used(docs(regex('example')))).toEqual([]);
});

test('what is not allowed says why, and what is off is not reported', () => {
  const { servers } = required({ docs: { identity: { url: 'https://docs.example.org/mcp' } } });
  expect(readMcpServers(configured, servers).problems).toEqual({
    files: {
      code: 'mcp-server-not-allowed',
      message: 'mcp_servers in /etc/r.toml does not allow the MCP server "files": it is not used.',
      next: 'Ask the administrator of this machine.',
    },
  });
});

test.each<[string, JsonObject, string]>([
  ['no identity', { a: {} }, 'mcp_servers.a.identity'],
  ['a name that is no table', { a: true }, 'mcp_servers.a'],
  ['a key that is not known', { a: { identity: { command: 'x' }, enabled: true } }, 'mcp_servers.a.enabled'],
  ['both', { a: { identity: { command: 'x', url: 'y' } } }, 'mcp_servers.a.identity'],
  ['neither', { a: { identity: {} } }, 'mcp_servers.a.identity'],
  [
    'a command without arguments',
    { a: { identity: { command: { executable: 'x' } } } },
    'mcp_servers.a.identity.command.args',
  ],
  [
    'a matcher of another kind',
    { a: { identity: { url: { match: 'glob', value: '*' } } } },
    'mcp_servers.a.identity.url',
  ],
  [
    'a matcher with both',
    { a: { identity: { url: { match: 'exact', value: 'x', expression: 'x' } } } },
    'mcp_servers.a.identity.url',
  ],
  ['no expression', { a: { identity: { url: regex('(') } } }, 'mcp_servers.a.identity.url'],
  [
    'an expression that leaves its brackets',
    { a: { identity: { url: regex('a)|(?:b') } } },
    'mcp_servers.a.identity.url',
  ],
])('%s is a fault of the file', (_, table, at) => {
  expect(required(table).problems.map(({ path }) => path.join('.'))).toEqual([at]);
});
