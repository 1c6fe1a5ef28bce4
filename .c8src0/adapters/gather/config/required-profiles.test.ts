import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolveConfig } from '../../../core/config/config.ts';
import type { Settings } from '../../../core/envelope/settings.ts';
import { accessAt } from '../../../core/policy/paths/access.ts';
import { noOwnPlaces } from '../../../core/policy/paths/special-places.ts';
import { resolvePolicy } from '../../../core/policy/profiles/resolve-policy.ts';
import { defined } from '../../../base/objects.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { bundledCatalogue } from '../bundled-models.ts';
import { type SettingsChoices, chooseSettings } from '../settings/settings.ts';
import { loadRequirements } from './config-layers.ts';

const place = { cwd: '/repo', catalogue: bundledCatalogue() };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-requirements-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function load(text: string) {
  const path = join(folder, 'requirements.toml');
  writeFileSync(path, text);
  return loadRequirements({ path, osHome: '/users/me' });
}

describe('permission profiles', () => {
  const corp = `allowed_permission_profiles = { corp = true, ":read-only" = true, ":workspace" = false }
default_permissions = "corp"
[permissions.corp]
extends = ":workspace"
filesystem = { "/srv/shared" = "write" }
`;

  async function chosen(text: string, values: JsonObject, choices: Partial<SettingsChoices> = {}) {
    const { requirements, problems } = await load(text);
    expect(problems).toEqual([]);
    const reading = { osHome: '/users/me', cwd: '/repo', ...defined({ managedProfiles: requirements.profileTables }) };
    const { config } = resolveConfig([{ name: 'user', source: '/home/config.toml', values }], reading);
    return chooseSettings(config, { ...place, requirements, ...choices });
  }

  test('one that is defined and allowed can be chosen, and so can any that grants no more', async () => {
    const { settings: own } = (await chosen(corp, { default_permissions: 'corp' })) as { settings: Settings };
    expect(own.sandbox).toMatchObject({
      file_system: { entries: expect.arrayContaining([at('/srv/shared', 'write')]) },
    });
    const less = {
      default_permissions: 'less',
      permissions: { less: { extends: 'corp', filesystem: { '/etc': 'deny' } } },
    };
    expect(await chosen(corp, less)).toMatchObject({
      settings: { sandbox: { file_system: { entries: expect.arrayContaining([at('/etc', 'deny')]) } } },
      notices: [],
    });
    expect(await chosen(corp, { sandbox_mode: 'workspace-write' })).toMatchObject({ notices: [] });
  });

  test.each<[string, JsonObject]>([
    ['no sandbox', { default_permissions: ':danger-full-access' }],
    [
      'another root',
      { default_permissions: 'x', permissions: { x: { filesystem: { '/': 'read', '/srv/other': 'write' } } } },
    ],
    ['the network', { default_permissions: 'x', permissions: { x: { extends: 'corp', network: { enabled: true } } } }],
    [
      'a root of a mode',
      { sandbox_mode: 'workspace-write', sandbox_workspace_write: { writable_roots: ['/srv/other'] } },
    ],
  ])('one that grants more gives way with a notice: %s', async (_, values) => {
    const made = await chosen(corp, values);
    expect(made).toMatchObject({
      settings: { sandbox: { file_system: { entries: expect.arrayContaining([at('/srv/shared', 'write')]) } } },
      notices: [{ code: 'requirement-overrides', message: expect.stringContaining('uses "corp" instead') }],
    });
    expect(await chosen(corp, values, { sandbox: { type: 'disabled' } })).toMatchObject({ code: 'sandbox-managed' });
  });

  test('a user cannot define what the administrator defines', async () => {
    const values = { default_permissions: 'corp', permissions: { corp: { filesystem: { '/': 'write' } } } };
    const { settings } = (await chosen(corp, values)) as { settings: Settings };
    expect(settings.sandbox).toMatchObject({
      file_system: { entries: expect.arrayContaining([at('/srv/shared', 'write')]) },
    });
  });

  test('a default that is not allowed gives way in silence', async () => {
    const text =
      'allowed_permission_profiles = { none = true }\ndefault_permissions = "none"\n[permissions.none.filesystem]\n":minimal" = "read"\n';
    expect(await chosen(text, {})).toMatchObject({ notices: [], settings: { sandbox: { type: 'managed' } } });
  });

  test.each([
    ['allowed_permission_profiles = { ":workspace" = true }', /needs default_permissions/],
    ['allowed_permission_profiles = { ":workspace" = true }\ndefault_permissions = ":read-only"', /does not contain/],
    ['allowed_permission_profiles = { mine = true }\ndefault_permissions = "mine"', /not defined/],
    ['allowed_permission_profiles = { ":workspace" = "yes" }', /true or false/],
    ['[permissions.filesystem]\ndeny_reads = []', /not a known key/],
    ['[permissions.corp.filesystem]\n"x" = "read"', /absolute/],
    ['[permissions.corp]\nextends = ":workspace"\nworkspace_roots = { "../x" = true }', /absolute/],
  ])('%s stops the start', async (text, reason) => {
    const { problems } = await load(text);
    expect(problems.map(({ severity }) => severity)).toContain('error');
    expect(problems[0]?.message).toMatch(reason);
    expect(problems[0]?.message).toMatch(/requirements\.toml:\d+: /);
  });

  test('both built-in ones need no default', async () => {
    expect((await load('allowed_permission_profiles = { ":workspace" = true, ":read-only" = true }')).problems).toEqual(
      [],
    );
  });

  test('what must not be read cannot be opened again from inside', async () => {
    const text = '[permissions.filesystem]\ndeny_read = ["/secret"]\n';
    const values = {
      default_permissions: 'x',
      permissions: { x: { filesystem: { '/': 'read', '/secret/open': 'write', glob_scan_max_depth: 1 } } },
    };
    const { settings } = (await chosen(text, values)) as { settings: Settings };
    const places = {
      cwd: '/secret/ws',
      workspaceRoots: ['/secret/ws'],
      slashTmp: true,
      gitDirectories: [],
      own: noOwnPlaces,
    };
    const policy = resolvePolicy(settings.sandbox, places);
    expect(['/secret', '/secret/open/x', '/secret/ws/deep/down'].map((path) => accessAt(policy, path))).toEqual([
      'deny',
      'deny',
      'deny',
    ]);
  });
});

function at(path: string, access: string) {
  return { path: { type: 'path', path }, access };
}
