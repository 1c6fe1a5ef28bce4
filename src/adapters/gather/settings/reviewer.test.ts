import { describe, expect, test } from 'vitest';
import { resolveConfig } from '../../../core/config/config.ts';
import { readRequirements } from '../../../core/config/requirements/read-requirements.ts';
import { noRequirements, type ManagedRequirements } from '../../../core/policy/requirements.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { bundledCatalogue } from '../bundled-models.ts';
import { type SettingsChoices, chooseSettings } from './settings.ts';

function settings(file: JsonObject, choices: Partial<SettingsChoices> = {}) {
  const { config, problems } = resolveConfig([{ name: 'user', source: '/home/config.toml', values: file }]);
  expect(problems).toEqual([]);
  const made = chooseSettings(config, { cwd: '/repo', catalogue: bundledCatalogue(), ...choices });
  if ('code' in made) throw new Error(made.message);
  const { approvals: approval, askedApproval, reviewer, reviewPolicy, origins } = made.settings;
  return { approval, askedApproval, reviewer, reviewPolicy, origin: origins?.['reviewer'], notices: made.notices };
}

function required(values: JsonObject): ManagedRequirements {
  const { requirements, problems } = readRequirements({ name: 'managed', source: '/etc/r.toml', values }, undefined, {
    osHome: '/home/user',
  });
  expect(problems).toEqual([]);
  return requirements;
}

describe('the reviewer', () => {
  test('is the user unless another is chosen, by either name', () => {
    expect(settings({}).reviewer).toBeUndefined();
    expect(settings({ approvals_reviewer: 'user' }).reviewer).toBeUndefined();
    for (const name of ['auto_review', 'guardian_subagent'])
      expect(settings({ approvals_reviewer: name })).toMatchObject({ reviewer: 'auto_review', origin: 'user' });
  });

  test('is the one that a resumed thread had, unless a flag names another', () => {
    const reviewed = { resumed: { reviewer: 'auto_review' } } as const;
    expect(settings({}, reviewed)).toMatchObject({ reviewer: 'auto_review', origin: 'thread' });
    const asked = { resumed: { reviewer: 'user' } } as const;
    expect(settings({ approvals_reviewer: 'auto_review' }, asked)).toMatchObject({
      reviewer: undefined,
      origin: 'thread',
    });
    expect(settings({ approvals_reviewer: 'auto_review' }, { resumed: {} }).reviewer).toBe('auto_review');
    const held = { approval: 'never', unlessReviewed: true } as const;
    expect(settings({}, { ...held, ...reviewed }).approval).toBe('on-request');
    const requirements = required({ allowed_approvals_reviewers: ['user'] });
    expect(settings({}, { ...reviewed, requirements })).toMatchObject({ reviewer: 'user', origin: 'managed' });
  });

  test('may be told more, by the user or by the machine', () => {
    expect(settings({ auto_review: { policy: ' ' } }).reviewPolicy).toBeUndefined();
    const file = { auto_review: { policy: 'Never deploy.' } };
    expect(settings(file).reviewPolicy).toBe('Never deploy.');
    expect(settings(file, { requirements: required({ guardian_policy_config: 'Ours.' }) }).reviewPolicy).toBe('Ours.');
    expect(settings(file, { requirements: required({ guardian_policy_config: ' ' }) }).reviewPolicy).toBe(
      'Never deploy.',
    );
  });

  test('keeps to what the machine allows', () => {
    const user = required({ allowed_approvals_reviewers: ['user'] });
    const chosen = settings({ approvals_reviewer: 'auto_review' }, { requirements: user });
    expect(chosen).toMatchObject({ reviewer: 'user', origin: 'managed' });
    expect(chosen.notices).toMatchObject([{ code: 'requirement-overrides' }]);
    const review = required({ allowed_approvals_reviewers: ['guardian_subagent'] });
    expect(settings({}, { requirements: review })).toMatchObject({ reviewer: 'auto_review', notices: [] });
  });

  test('answers where no one else can, unless the policy asks nothing or the machine wants the user', () => {
    const held = { approval: 'never', unlessReviewed: true } as const;
    const file = { approvals_reviewer: 'auto_review' };
    expect(settings({}, held).approval).toBe('never');
    expect(settings(file, held)).toMatchObject({ approval: 'on-request', askedApproval: undefined });
    expect(settings({ ...file, approval_policy: 'never' }, held).approval).toBe('never');
    expect(settings({ ...file, approval_policy: 'untrusted' }, held).approval).toBe('never');
    expect(settings(file, { approval: 'never' }).approval).toBe('never');
    const requirements = required({ allowed_approvals_reviewers: ['user'] });
    expect(settings(file, { ...held, requirements }).approval).toBe('never');
    expect(settings(file, { ...held, requirements: noRequirements }).approval).toBe('on-request');
  });
});
