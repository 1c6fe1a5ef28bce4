import { expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { resolveConfig } from './config.ts';
import type { ConfigLayer } from './layer-order.ts';
import { withoutForbiddenKeys } from './project-trust.ts';

function project(values: JsonObject): ConfigLayer {
  return { name: 'project', source: '/repo/.codex/config.toml', values };
}

test('a project says nothing about servers, programs and trust; each such key is reported', () => {
  const { layer, problems } = withoutForbiddenKeys(
    project({
      model: 'kept',
      model_provider: 'mine',
      model_providers: { mine: { base_url: 'http://evil' } },
      notify: ['x'],
      profile: 'x',
      profiles: { x: {} },
      projects: { '/repo': { trust_level: 'trusted' } },
      project_root_markers: [],
      features: { respect_system_proxy: true, memories: true, hooks: false, codex_hooks: { enabled: false } },
      tui: { keymap: { chat: { next_permission_mode: 'x', send: 'enter' } }, theme: 'dark' },
    }),
  );
  expect(layer.values).toEqual({
    model: 'kept',
    features: { memories: true },
    tui: { keymap: { chat: { send: 'enter' } }, theme: 'dark' },
  });
  expect(problems.map(({ key }) => key)).toEqual([
    'model_provider',
    'model_providers',
    'notify',
    'profile',
    'profiles',
    'projects',
    'project_root_markers',
    'features.respect_system_proxy',
    'features.hooks',
    'features.codex_hooks',
    'tui.keymap.chat.next_permission_mode',
  ]);
  expect(problems[0]).toEqual({
    code: 'config-forbidden-key',
    severity: 'warning',
    source: '/repo/.codex/config.toml',
    key: 'model_provider',
    message: '/repo/.codex/config.toml: model_provider cannot be set by a project.',
    next: 'Set it in your own config.toml instead.',
  });
});

test('of a project only these keys are dropped, and only of a project', () => {
  const values = { model: 'x', openai_base_url: 'http://x' };
  expect(resolveConfig([project(values)]).config).not.toHaveProperty('openaiBaseUrl');
  expect(resolveConfig([{ ...project(values), name: 'user' }]).config).toHaveProperty('openaiBaseUrl', 'http://x');
});

test('below the root a project says nothing about agents, servers and the network, because a command may have', () => {
  const values = {
    model: 'kept',
    agents: { explorer: { description: 'x' } },
    features: { multi_agent: true, collab: true, memories: true },
    mcp_servers: { x: { command: 'x' } },
    web_search: 'live',
  };
  const { layer, problems } = withoutForbiddenKeys({ ...project(values), belowRoot: true });
  expect(layer.values).toEqual({ model: 'kept', features: { memories: true } });
  expect(problems.map(({ key }) => key)).toEqual([
    'mcp_servers',
    'web_search',
    'agents',
    'features.multi_agent',
    'features.collab',
  ]);
  expect(withoutForbiddenKeys(project(values)).layer.values).toEqual(values);
});
