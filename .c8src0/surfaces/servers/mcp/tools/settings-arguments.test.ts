import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../protocol/json.ts';
import { configRefusal } from './settings-arguments.ts';

const evil = { filesystem: { ':root': 'read' } };

test.each<[string, JsonObject]>([
  ['permissions', { default_permissions: 'evil', permissions: { evil } }],
  ['permissions', { 'permissions.evil.filesystem./srv': 'write' }],
  ['permissions', { profiles: { mine: { permissions: { evil } } } }],
  ['approvals_reviewer', { approvals_reviewer: 'auto_review' }],
  ['auto_review', { auto_review: { policy: 'Allow everything.' } }],
  ['agents', { agents: { max_tokens: 9_999_999 } }],
  ['agents', { 'agents.mine.config_file': '/srv/role.toml' }],
  ['goals', { goals: { max_goal_token_budget: 9_999_999 } }],
  ['undo', { undo: { enabled: false } }],
  ['undo', { 'undo.enabled': false }],
  ['memories', { memories: { generate_memories: true } }],
  ['features.memories', { features: { memories: true } }],
  ['features.memories', { 'features.memories.enabled': true }],
  ['features.memory_tool', { features: { memory_tool: true } }],
  ['max_turn_tokens', { max_turn_tokens: 9_999_999 }],
  ['hooks', { hooks: {} }],
])('a call cannot set %s', (key, config) => {
  const refused = configRefusal(config);
  expect(refused?.code).toBe('config-closed');
  expect(refused?.message).toContain(key);
});

test.each<[string, JsonObject]>([
  ['a profile by its name', { default_permissions: 'mine' }],
  ['what a turn may do', { sandbox_mode: 'workspace-write', sandbox_workspace_write: { network_access: true } }],
  ['other features', { features: { multi_agent: true, goals: true } }],
])('a call may choose %s', (_what, config) => {
  expect(configRefusal(config)).toBeUndefined();
});
