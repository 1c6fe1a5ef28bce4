import { expect, test } from 'vitest';
import { mcpServerConfigKeys } from '../../policy/secrets.ts';
import { configSchema } from './key-table.ts';
import { type ConfigKeyStatus, configKeyStatus } from './inspect-keys.ts';
import { parseTomlKey } from '../toml/toml-key.ts';

test.each<[string, ConfigKeyStatus]>([
  ['model', { kind: 'used' }],
  ['sandbox_workspace_write', { kind: 'used' }],
  ['sandbox_workspace_write.network_access', { kind: 'used' }],
  ['model_providers.mine', { kind: 'used' }],
  ['model_providers.mine.http_headers.X-Custom', { kind: 'used' }],
  ['projects."/a/b".trust_level', { kind: 'used' }],
  ['shell_environment_policy.filters.A', { kind: 'used' }],
  ['tui', { kind: 'used' }],
  ['tui.theme', { kind: 'used' }],
  ['tui.pet', { kind: 'unused' }],
  ['tui.them', { kind: 'unknown', nearest: ['tui', 'theme'] }],
  ['tui.keymap.chat.send', { kind: 'used' }],
  ['features.memories', { kind: 'used' }],
  ['features.memorys', { kind: 'unknown', nearest: ['features', 'memories'] }],
  ['window.effective_tokens', { kind: 'used' }],
  ['default_permissions', { kind: 'used' }],
  ['permissions.mine.filesystem', { kind: 'used' }],
  ['profile', { kind: 'unused' }],
  ['modle', { kind: 'unknown', nearest: ['model'] }],
  ['model_providers.mine.base_ur', { kind: 'unknown', nearest: ['model_providers', 'mine', 'base_url'] }],
  ['model.name', { kind: 'unknown' }],
  ['toString', { kind: 'unknown' }],
])('%s', (key, status) => {
  expect(configKeyStatus(parseTomlKey(key) ?? [])).toEqual(status);
});

test('values of servers are shown for the keys of this version alone', () => {
  const { keys } = configSchema.keys.mcp_servers;
  const names = (value: object | undefined) => Object.keys(value ?? {}).toSorted();
  const { oauth, tools } = mcpServerConfigKeys as Record<string, Record<string, object>>;
  expect(names(mcpServerConfigKeys)).toEqual(names(keys));
  expect(names(oauth)).toEqual(names(keys.oauth.keys));
  expect(names(tools?.['*'])).toEqual(names(keys.tools.keys));
});
