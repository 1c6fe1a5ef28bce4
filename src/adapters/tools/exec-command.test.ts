import { describe, expect, test } from 'vitest';
import { parseExecCommandArguments } from './exec-command.ts';

const disk = { look: () => ({ kind: 'missing' }) as const };
const asking = { cwd: '/repo', disk, canAsk: true };

function escalationOf(more: object, given = asking): unknown {
  const read = parseExecCommandArguments(JSON.stringify({ cmd: 'make', ...more }), given);
  return typeof read === 'string' ? read : read.escalation;
}

describe('what a command asks for besides', () => {
  test.each([
    ['nothing', {}, undefined],
    ['the default by name', { sandbox_permissions: 'use_default', justification: 'why' }, undefined],
    [
      'nulls',
      { sandbox_permissions: null, justification: null, prefix_rule: null, additional_permissions: null },
      undefined,
    ],
    ['to run outside', { sandbox_permissions: 'require_escalated' }, {}],
    [
      'to run outside, with a reason and a rule',
      { sandbox_permissions: 'require_escalated', justification: ' May I? ', prefix_rule: ['make'] },
      { reason: 'May I?', prefix: ['make'] },
    ],
    [
      'more inside',
      {
        sandbox_permissions: 'with_additional_permissions',
        additional_permissions: {
          network: { enabled: true },
          file_system: { read: ['../x'], write: ['/srv', '/srv/'] },
        },
      },
      { permissions: { network: true, read: ['/x'], write: ['/srv'] } },
    ],
  ])('%s', (_name, given, expected) => expect(escalationOf(given)).toEqual(expected));

  test.each([
    [{ sandbox_permissions: 'all' }, '`sandbox_permissions` must be one of'],
    [{ sandbox_permissions: 'require_escalated', justification: 5 }, '`justification` must be a string.'],
    [{ justification: 'why' }, '`justification` needs `sandbox_permissions`.'],
    [{ sandbox_permissions: 'require_escalated', prefix_rule: 'make' }, '`prefix_rule` must be a list of strings.'],
    [{ sandbox_permissions: 'with_additional_permissions' }, 'needs `additional_permissions`.'],
    [
      { additional_permissions: { network: { enabled: true } } },
      '`additional_permissions` needs `sandbox_permissions` to be with_additional_permissions.',
    ],
    [
      { sandbox_permissions: 'require_escalated', additional_permissions: { network: { enabled: true } } },
      '`additional_permissions` needs',
    ],
    [{ sandbox_permissions: 'with_additional_permissions', additional_permissions: {} }, 'asks for nothing.'],
    [
      { sandbox_permissions: 'with_additional_permissions', additional_permissions: { network: { enabled: false } } },
      'asks for nothing.',
    ],
    [
      { sandbox_permissions: 'with_additional_permissions', additional_permissions: { files: {} } },
      '`additional_permissions` has no member "files".',
    ],
    [
      {
        sandbox_permissions: 'with_additional_permissions',
        additional_permissions: { file_system: { write: '/srv' } },
      },
      'must name paths in lists of strings.',
    ],
    [
      { sandbox_permissions: 'with_additional_permissions', additional_permissions: { file_system: { deny: [] } } },
      'has no member "deny".',
    ],
  ])('%j is explained', (given, expected) => expect(escalationOf(given)).toContain(expected));

  test('where it is not offered, nothing is explained', () => {
    const unasked = { cwd: '/repo', disk, canAsk: false };
    expect(escalationOf({ justification: 'why', prefix_rule: 5 }, unasked)).toBeUndefined();
    expect(escalationOf({ sandbox_permissions: 'require_escalated', justification: 5 }, unasked)).toEqual({});
  });
});
