import { expect, test } from 'vitest';
import { overrideValues, shownConfigOverride, splitConfigOverride } from './flag-overrides.ts';

test.each(['model', '=x', '  =x', 'a..b=1', 'a b=1', '""=1', '.a=1'])('"%s" is refused with a next step', (text) => {
  expect(splitConfigOverride(text)).toMatchObject({
    code: 'override-malformed',
    severity: 'error',
    next: expect.any(String),
  });
});

test('overrides become one table; of two for the same key the later wins', () => {
  expect(
    overrideValues([
      { path: ['model'], value: 'a' },
      { path: ['t', 'x'], value: 1 },
      { path: ['t', 'y'], value: 2 },
      { path: ['model'], value: 'b' },
    ]),
  ).toEqual({ model: 'b', t: { x: 1, y: 2 } });
});

test('a key named after the prototype stays an ordinary key', () => {
  const values = overrideValues([{ path: ['__proto__', 'polluted'], value: true }]);
  expect(Object.keys(values)).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test.each([
  ['permissions.dev.filesystem.:root', ['permissions', 'dev', 'filesystem', ':root']],
  ['permissions.dev.filesystem.:workspace_roots..', ['permissions', 'dev', 'filesystem', ':workspace_roots', '.']],
  [
    'permissions.dev.filesystem.:workspace_roots.**/*.env',
    ['permissions', 'dev', 'filesystem', ':workspace_roots', '**/*.env'],
  ],
  ['permissions.dev.filesystem./srv/data', ['permissions', 'dev', 'filesystem', '/srv/data']],
  ['permissions.dev.filesystem.~/.ssh', ['permissions', 'dev', 'filesystem', '~/.ssh']],
  ['permissions.dev.workspace_roots.~/code/a.b', ['permissions', 'dev', 'workspace_roots', '~/code/a.b']],
  ['permissions.dev.network.domains.example.com', ['permissions', 'dev', 'network', 'domains', 'example.com']],
  ['permissions.dev.network.domains', ['permissions', 'dev', 'network', 'domains']],
  ['permissions.dev.network.domains.*.example.com', ['permissions', 'dev', 'network', 'domains', '*.example.com']],
  [
    'permissions.dev.network.unix_sockets./run/x.sock',
    ['permissions', 'dev', 'network', 'unix_sockets', '/run/x.sock'],
  ],
  ['permissions.dev.filesystem."/srv/a.b"', ['permissions', 'dev', 'filesystem', '/srv/a.b']],
])('%s may stand without quotes, as maps are written', (key, path) => {
  expect(splitConfigOverride(`${key}="read"`)).toEqual({ path, written: '"read"' });
});

test.each(['permissions.dev.filesystem./srv/a.b', 'permissions.dev.filesystem./opt/app.cache'])(
  '%s could mean two things and is refused',
  (key) => {
    expect(splitConfigOverride(`${key}="read"`)).toMatchObject({
      severity: 'error',
      message: expect.stringContaining('quotes'),
    });
  },
);

test('of an override that is malformed, nothing behind the key is shown', () => {
  expect(['x.env."T=HUNTER2xabc', 'x.env.T: HUNTER2xabc', 'x.env.T'].map(shownConfigOverride)).toEqual([
    'x.env."T=<hidden>',
    'x.env.T:<hidden>',
    'x.env.T',
  ]);
  const secret = 'HUNTER2xabc';
  expect(JSON.stringify(splitConfigOverride(`mcp_servers.x.env."T=${secret}`))).not.toContain(secret);
});
