import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noRequirements, type ManagedRequirements, withDeniedReads } from '../policy/requirements.ts';
import { builtInProfile } from '../policy/profiles/profiles.ts';
import { defaultShellEnvironmentPolicy } from '../policy/environment/shell-environment-policy.ts';
import type { Catalogue } from './model-record.ts';
import { applySettingsChange as applyRead, type SettingsChange } from './apply-settings-change.ts';
import { parseSettingsChange } from './read-settings-change.ts';
import type { Settings } from './settings.ts';

const none = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };

const settings: Settings = {
  model: 'even',
  provider: 'openai',
  effort: 'high',
  cwd: '/repo',
  approvals: 'on-request',
  sandbox: builtInProfile('workspace-write', none),
  shellEnvironment: defaultShellEnvironmentPolicy,
  personality: 'friendly',
  realtime: { active: false, startInstructions: 'Speak.' },
  window: { effectivePercent: 50 },
  origins: { model: 'user', effort: 'thread' },
};

const fallback: Catalogue['fallback'] = {
  contextWindow: 1000,
  effectivePercent: 95,
  truncation: { mode: 'bytes', limit: 100 },
  supportedEfforts: [],
  serviceTiers: [],
  modalities: ['text'],
  imageGeneration: false,
  webSearch: false,
  editTools: 'patch',
  modes: { default: {}, plan: {} },
  instructions: '',
};
const catalogue: Catalogue = {
  models: [
    { ...fallback, slug: 'even', supportedEfforts: ['low', 'medium', 'high', 'max'] },
    { ...fallback, slug: 'four', supportedEfforts: ['a', 'b', 'c', 'd'] },
    { ...fallback, slug: 'three', supportedEfforts: ['a', 'b', 'c'] },
    { ...fallback, slug: 'open' },
  ],
  fallback,
};

function applyChange(before: Settings, given: unknown, held: Parameters<typeof applyRead>[2]) {
  const read = parseSettingsChange(given);
  return 'code' in read ? ({ kind: 'refused', outcome: read } as const) : applyRead(before, read, held);
}

function change(given: unknown, requirements: ManagedRequirements = noRequirements) {
  return applyChange(settings, given, { catalogue, requirements });
}

/** The settings after a change that is expected to be taken. */
function after(given: SettingsChange, requirements?: ManagedRequirements): Settings {
  const made = change(given, requirements);
  if (made.kind === 'refused') throw new Error(made.outcome.message);
  return made.settings;
}

test('a change of everything', () => {
  const profile = builtInProfile('read-only', none);
  const given: SettingsChange = {
    cwd: '/other',
    approvals: 'never',
    sandbox: profile,
    model: 'open',
    effort: 'extreme',
    summary: 'detailed',
    serviceTier: 'fast',
    collaboration: { mode: 'plan', instructions: 'Plan well.' },
    personality: 'none',
    realtime: { active: true },
  };
  const names = [
    'cwd',
    'approvals',
    'sandbox',
    'model',
    'effort',
    'summary',
    'serviceTier',
    'collaboration',
    'personality',
    'realtime',
  ];
  expect(change(given)).toEqual({
    kind: 'changed',
    changed: names,
    settings: {
      ...settings,
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value])),
      serviceTier: 'priority',
      realtime: { active: true, startInstructions: 'Speak.' },
      origins: Object.fromEntries(names.map((name) => [name, 'override'])),
    },
  });
});

test.each([
  ['/other/', '/other'],
  ['/other/sub/..', '/other'],
  ['//other/./', '/other'],
  ['/', '/'],
])('the folder %j is kept as %j', (cwd, kept) => {
  expect(after({ cwd }).cwd).toBe(kept);
});

test('a folder in another spelling is no change', () => {
  expect(change({ cwd: '/repo/../repo/' })).toMatchObject({ kind: 'changed', changed: [] });
});

test.each<[unknown, string, string]>([
  [
    { modle: 'x' },
    'modle is not an option of a change of settings. Did you mean model?',
    'Rename or remove it. Nothing was changed.',
  ],
  [
    { sandboxMode: 'read-only' },
    'sandboxMode is not an option of a change of settings. Did you mean sandbox?',
    'Rename or remove it. Nothing was changed.',
  ],
  [
    { sandbox: { type: 'workspace-write', exclude_slash_tmpp: true } },
    'sandbox of a change of settings has no key "exclude_slash_tmpp". Did you mean exclude_slash_tmp?',
    'Rename or remove it. Nothing was changed.',
  ],
  [
    { realtime: { active: true, start: 'x' } },
    'realtime of a change of settings has no key "start".',
    'Remove it, or use active, startInstructions. Nothing was changed.',
  ],
])('%j: the key that was meant is named', (given, message, next) => {
  expect(change(given)).toEqual({ kind: 'refused', outcome: { code: 'option-unknown', message, next } });
});

test('null takes a choice back', () => {
  const { effort: _, personality: __, ...others } = settings;
  expect(change({ effort: null, personality: null, serviceTier: null })).toEqual({
    kind: 'changed',
    changed: ['effort', 'serviceTier', 'personality'],
    settings: {
      ...others,
      serviceTier: 'default',
      origins: { model: 'user', effort: 'override', serviceTier: 'override', personality: 'override' },
    },
  });
});

test('an effort that the model does not list stays while the model does', () => {
  const held = { ...settings, effort: 'extreme' };
  const made = applyChange(held, { model: 'even', cwd: '/other' }, { catalogue, requirements: noRequirements });
  expect(made).toMatchObject({ changed: ['cwd'], settings: { effort: 'extreme' } });
});

test('what is the same already is no change', () => {
  expect(change({ model: 'even', cwd: '/repo', sandbox: 'workspace-write' })).toEqual({
    kind: 'changed',
    settings,
    changed: [],
  });
});

describe('another model', () => {
  test.each([
    ['has the effort', 'even-2', 'high'],
    ['has others, four', 'four', 'b'],
    ['has others, three', 'three', 'b'],
    ['has none', 'open', undefined],
    ['unknown', 'unheard', undefined],
  ])('that %s', (_, model, effort) => {
    const changed = after({ model });
    expect([changed.model, changed.effort]).toEqual([model, effort]);
  });

  test('does not get an effort that it does not have', () => {
    for (const given of [{ model: 'four', effort: 'high' }, { effort: 'a' }, { effort: 'ultra' }]) {
      const [slug, list] = 'model' in given ? ['four', 'a, b, c, d'] : ['even', 'low, medium, high, max'];
      expect(change(given)).toEqual({
        kind: 'refused',
        outcome: {
          code: 'option-wrong',
          message: `The model ${slug} has no reasoning effort "${given.effort}".`,
          next: `Choose one of these: ${list}. Nothing was changed.`,
        },
      });
    }
    expect(after({ model: 'unheard', effort: 'extreme' })).toMatchObject({ effort: 'extreme' });
    expect(after({ model: 'unheard', effort: 'ultra' })).toMatchObject({ effort: 'ultra' });
    expect(after({ effort: 'persistent' })).toMatchObject({ effort: 'persistent' });
  });

  test('gets the effort that comes with it, and none where there was none', () => {
    expect(after({ model: 'four', effort: 'd' })).toMatchObject({ effort: 'd' });
    expect(after({ model: 'four', effort: null })).not.toHaveProperty('effort');
    const { effort: _, ...without } = settings;
    const rules = { catalogue, requirements: noRequirements };
    expect(applyChange(without, { model: 'four' }, rules)).toMatchObject({ changed: ['model'] });
  });
});

test.each<[unknown, object]>([
  ['read-only', builtInProfile('read-only', none)],
  ['danger-full-access', { type: 'disabled' }],
  [{ type: 'danger-full-access' }, { type: 'disabled' }],
  [
    { type: 'external-sandbox', network_access: 'enabled' },
    { type: 'external', network: 'enabled' },
  ],
  [{ type: 'read-only', network_access: true }, builtInProfile('read-only', { ...none, network: true })],
  [
    { type: 'workspace-write', writable_roots: ['/a'], network_access: true, exclude_slash_tmp: true },
    builtInProfile('workspace-write', { ...none, network: true, writableRoots: ['/a'], excludeSlashTmp: true }),
  ],
])('the sandbox mode %j', (sandbox, profile) => {
  expect(after({ sandbox } as SettingsChange).sandbox).toEqual(profile);
});

test.each<[string, unknown, string, string]>([
  ['no object', 'model', 'options-malformed', 'must be an object, not "model"'],
  ['a list', [], 'options-malformed', 'not a list'],
  ['nothing', undefined, 'options-malformed', 'not nothing'],
  ['a key that is not known', { modle: 'x', model: 'open' }, 'option-unknown', 'modle is not'],
  ['a name of the prototype', JSON.parse('{"__proto__": 1}'), 'option-unknown', '__proto__ is not'],
  [
    'a relative folder',
    { cwd: 'repo' },
    'option-wrong',
    'cwd of a change of settings must be an absolute path, not "repo"',
  ],
  [
    'a folder with a hidden end',
    { cwd: '/repo\0/etc' },
    'option-wrong',
    'cwd of a change of settings must not contain a zero byte',
  ],
  [
    'a policy that is none',
    { approvals: 'always' },
    'option-wrong',
    'approvals of a change of settings must be one of "untrusted", "on-request", "never", or an object with the key granular, not "always"',
  ],
  ['a policy in a list', { approvals: ['on-failure'] }, 'option-wrong', 'approvals of a change of settings must be'],
  ['no policy', { approvals: null }, 'option-wrong', 'not null'],
  [
    'an empty model',
    { model: ' ' },
    'option-wrong',
    'model of a change of settings must be a string that is not blank, not " "',
  ],
  [
    'a number for an effort',
    { effort: 3 },
    'option-wrong',
    'effort of a change of settings must be a string that is not blank, or null, not 3',
  ],
  ['a summary that is none', { summary: 'long' }, 'option-wrong', 'summary of a change of settings must be'],
  ['a mode that is none', { collaboration: { mode: 'review' } }, 'option-wrong', 'collaboration.mode of'],
  ['a mode with more', { collaboration: { mode: 'plan', model: 'x' } }, 'option-unknown', 'has no key "model"'],
  ['a manner that is none', { personality: 'rude' }, 'option-wrong', 'personality of a change of settings must be'],
  ['half a conversation', { realtime: {} }, 'option-missing', 'needs realtime.active: true or false'],
  ['a sandbox that is none', { sandbox: 'open' }, 'option-wrong', 'sandbox of a change of settings must be'],
  [
    'a policy of another shape',
    { sandbox: { type: 'workspace-write', writable_roots: ['a'] } },
    'option-wrong',
    'sandbox.writable_roots[0] of a change of settings must be an absolute path, not "a"',
  ],
  [
    'a profile of another shape',
    { sandbox: { type: 'managed' } },
    'option-missing',
    'a change of settings needs sandbox.file_system: an object with rules for files',
  ],
  [
    'a profile with a broken entry',
    {
      sandbox: {
        type: 'managed',
        network: 'enabled',
        file_system: { type: 'restricted', entries: [{ access: 'write' }] },
      },
    },
    'option-missing',
    'a change of settings needs sandbox.file_system.entries[0].path: an object with a type',
  ],
  [
    'two sandboxes',
    { sandbox: 'read-only', profile: { type: 'disabled' } },
    'option-unknown',
    'profile is not an option of a change of settings. Did you mean sandbox?',
  ],
])('%s is refused', (_, given, code, message) => {
  expect(change(given)).toEqual({
    kind: 'refused',
    outcome: { code, message: expect.stringContaining(message), next: expect.any(String) },
  });
});

const demanding: ManagedRequirements = {
  approvals: { allowed: ['on-request'], source: '/etc/requirements.toml:1', key: 'allowed_approval_policies' },
  sandboxModes: {
    allowed: ['workspace-write', 'read-only'],
    source: '/etc/requirements.toml:2',
    key: 'allowed_sandbox_modes',
  },
  denyRead: { patterns: ['/secret'], source: '/etc/requirements.toml:3' },
};

test.each<[SettingsChange, string]>([
  [
    { approvals: 'never', model: 'open' },
    'allowed_approval_policies in /etc/requirements.toml:1 does not allow the approval "never". Nothing was changed.',
  ],
  [
    { sandbox: 'danger-full-access' },
    'allowed_sandbox_modes in /etc/requirements.toml:2 does not allow the sandbox mode "danger-full-access". Nothing was changed.',
  ],
  [
    { sandbox: { type: 'external', network: 'restricted' } },
    'allowed_sandbox_modes in /etc/requirements.toml:2 does not allow the sandbox mode "external-sandbox". Nothing was changed.',
  ],
])('a requirement refuses %j', (given, message) => {
  expect(change(given, demanding)).toMatchObject({ kind: 'refused', outcome: { code: 'change-not-allowed', message } });
});

test('a reviewer answers, unless a requirement says who does', () => {
  expect(after({ reviewer: 'auto_review' }).reviewer).toBe('auto_review');
  const reviewers = {
    allowed: ['user'],
    source: '/etc/requirements.toml:4',
    key: 'allowed_approvals_reviewers',
  } as const;
  expect(change({ reviewer: 'auto_review' }, { ...noRequirements, reviewers })).toMatchObject({
    kind: 'refused',
    outcome: { code: 'change-not-allowed' },
  });
});

test('what must not be read stays denied', () => {
  expect(after({ sandbox: 'read-only' }, demanding).sandbox).toEqual(
    withDeniedReads(demanding, builtInProfile('read-only', none)),
  );
});

const text = fc.constantFrom('a', 'b', 'four', 'even', 'open');
const right = fc.record(
  {
    cwd: fc.constantFrom('/repo', '/other'),
    approvals: fc.constantFrom('untrusted', 'on-request', 'never'),
    sandbox: fc.constantFrom('read-only', 'workspace-write', { type: 'danger-full-access' }),
    model: text,
    effort: fc.option(text),
    summary: fc.constantFrom('auto', 'none'),
    serviceTier: fc.option(fc.constantFrom('fast', 'flex')),
    collaboration: fc.record(
      { mode: fc.constantFrom('default', 'plan'), instructions: text },
      { requiredKeys: ['mode'] },
    ),
    personality: fc.option(fc.constantFrom('none', 'friendly')),
    realtime: fc.record({ active: fc.boolean(), startInstructions: text }, { requiredKeys: ['active'] }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<SettingsChange>;
const rules = fc.constantFrom(noRequirements, demanding).map((requirements) => ({ catalogue, requirements }));

describe('whatever the change', () => {
  test('read again, it is the same', () => {
    fc.assert(
      fc.property(right, (given) => {
        const read = parseSettingsChange(given);
        expect(parseSettingsChange(read)).toEqual(read);
      }),
    );
  });

  test('what it leaves out stays, and the settings before are as they were', () => {
    fc.assert(
      fc.property(right, rules, (given, held) => {
        const before = structuredClone(settings);
        const made = applyChange(settings, given, held);
        expect(settings).toEqual(before);
        if (made.kind === 'refused') return;
        const touched = new Set<string>(Object.keys(given));
        if (touched.has('model')) touched.add('effort');
        if (held.requirements.denyRead !== undefined) touched.add('sandbox');
        touched.add('origins');
        const rest = (all: Settings) => Object.entries(all).filter(([name]) => !touched.has(name));
        expect(rest(made.settings)).toEqual(rest(settings));
        for (const name of made.changed) expect(touched).toContain(name);
      }),
    );
  });

  test('twice is once, and the order of its keys means nothing', () => {
    fc.assert(
      fc.property(right, rules, (given, held) => {
        const once = applyChange(settings, given, held);
        const reversed = Object.fromEntries(Object.entries(given).toReversed());
        expect(applyChange(settings, reversed, held)).toEqual(once);
        if (once.kind === 'refused') return;
        expect(applyChange(once.settings, given, held)).toEqual({ ...once, changed: [] });
      }),
    );
  });

  test('one fault refuses all of it', () => {
    const faults = fc.constantFrom<[string, unknown]>(
      ['cwd', 'here'],
      ['model', ''],
      ['nonsense', 1],
      ['approvals', 5],
    );
    fc.assert(
      fc.property(right, faults, rules, (given, [key, fault], held) => {
        expect(applyChange(settings, { ...given, [key]: fault }, held)).toMatchObject({ kind: 'refused' });
      }),
    );
  });

  test('any value at all is answered', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom('cwd', 'profile', 'sandbox', 'realtime'), fc.anything())),
        (given) => {
          expect(['changed', 'refused']).toContain(change(given).kind);
        },
      ),
    );
  });

  test('nothing in it can be changed afterwards', () => {
    fc.assert(
      fc.property(right, rules, (given, held) => {
        const made = applyChange(settings, given, held);
        if (made.kind === 'changed' && made.changed.length > 0) expectFrozen(made.settings);
      }),
    );
  });

  test('no caller can change it afterwards', () => {
    const given = {
      profile: {
        type: 'managed',
        network: 'restricted',
        file_system: { type: 'restricted', entries: [] as unknown[] },
      },
      realtime: { active: true },
    };
    const made = change(given);
    const before = structuredClone(made);
    given.profile.file_system.entries.push({ path: { type: 'path', path: '/' }, access: 'write' });
    given.realtime.active = false;
    expect(made).toEqual(before);
  });
});

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value)).toBe(true);
  for (const member of Object.values(value)) expectFrozen(member);
}
