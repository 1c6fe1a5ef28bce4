import { expect, test } from 'vitest';
import type { Access, PathRule, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { planWindows, type WindowsLevel } from './windows-plan.ts';

type Rules = readonly (
  | readonly [path: string, access: Access]
  | readonly [path: string, access: Access, more: Partial<PathRule>]
)[];

interface Row {
  readonly what: string;
  readonly rules: Rules;
  readonly more?: Partial<{
    network: 'enabled' | 'restricted';
    globs: readonly string[];
    platform: boolean;
    lists: boolean;
  }>;
  /** An answer is the reason of a refusal, or the entries of a plan. */
  readonly elevated: readonly string[] | string;
  readonly unelevated: readonly string[] | string;
}

const usual: Rules = [
  ['/', 'read'],
  ['/ws', 'write'],
  ['/temp', 'write'],
  ['/ws/.git', 'read', { ifMissing: 'protect' }],
];
const usualEntries = ['allow-write /temp', 'allow-write /ws', 'deny-write /ws/.git (made first)'];

const matrix: readonly Row[] = [
  { what: 'read-only', rules: [['/', 'read']], elevated: [], unelevated: [] },
  { what: 'workspace-write', rules: usual, elevated: usualEntries, unelevated: usualEntries },
  {
    what: 'full reads, the usual roots, and another read-only carve-out',
    rules: [...usual, ['/ws/docs', 'read']],
    elevated: [...usualEntries.slice(0, 2), 'deny-write /ws/.git (made first)', 'deny-write /ws/docs'],
    unelevated: [...usualEntries.slice(0, 2), 'deny-write /ws/.git (made first)', 'deny-write /ws/docs'],
  },
  {
    what: 'exact readable roots',
    rules: [
      ['/ws', 'read'],
      ['/data', 'read'],
    ],
    elevated: ['allow-read /data', 'allow-read /ws'],
    unelevated: 'limited-reads',
  },
  {
    what: 'exact writable roots',
    rules: [
      ['/', 'read'],
      ['/srv', 'write'],
    ],
    elevated: ['allow-write /srv'],
    unelevated: 'other-roots',
  },
  {
    what: 'the folders of the system, where the profile asks for them',
    rules: [['/ws', 'read']],
    more: { platform: true },
    elevated: ['allow-read /ws', 'system'],
    unelevated: 'limited-reads',
  },
  {
    what: 'a denied path',
    rules: [...usual, ['/ws/secret', 'deny']],
    elevated: 'denied-path',
    unelevated: 'denied-path',
  },
  {
    what: 'a denied pattern',
    rules: usual,
    more: { globs: ['/ws/**/*.env'] },
    elevated: 'denied-path',
    unelevated: 'denied-path',
  },
  {
    what: "Capstan's own secrets",
    rules: [...usual, ['/home/auth.json', 'deny', { own: true }]],
    elevated: ['allow-write /temp', 'allow-write /ws', 'deny-read /home/auth.json', 'deny-write /ws/.git (made first)'],
    unelevated: 'denied-path',
  },
  {
    what: 'a writable path inside a read-only carve-out',
    rules: [...usual, ['/ws/docs', 'read'], ['/ws/docs/out', 'write']],
    elevated: 'reopened-path',
    unelevated: 'reopened-path',
  },
  { what: 'hosts by list', rules: usual, more: { lists: true }, elevated: usualEntries, unelevated: 'host-lists' },
];

const cases = matrix.flatMap((row) =>
  (['elevated', 'unelevated'] as const).map((level) => [row.what, level, row, row[level]] as const),
);

test.each(cases)('%s, %s', (_what, level, { rules, more = {} }, expected) => {
  const plan = planned(level, { rules, ...more });
  expect(plan.kind === 'windows-plan' ? shown(plan) : plan.reason).toEqual(expected);
});

function planned(
  level: WindowsLevel,
  {
    rules,
    network = 'restricted',
    globs = [],
    platform = false,
    lists = false,
  }: { rules: Rules } & NonNullable<Row['more']>,
) {
  const files = {
    kind: 'restricted',
    rules: rules.map(([path, access, more]): PathRule => ({ path, access, ifMissing: 'skip', ...more })),
    denyGlobs: globs,
    platformDefaults: platform,
  } as const;
  const policy: ResolvedPolicy = { enforcement: 'managed', files, network };
  return planWindows({ level, policy, usualRoots: ['/ws', '/temp'], hostLists: lists });
}

function shown({
  entries,
  systemRoots,
}: Extract<ReturnType<typeof planWindows>, { kind: 'windows-plan' }>): readonly string[] {
  const texts = entries.map(
    ({ path, effect, makeFirst }) => `${effect} ${path}${makeFirst === true ? ' (made first)' : ''}`,
  );
  return systemRoots ? [...texts, 'system'] : texts;
}

test('the network is blocked by the account, at best discouraged by a token, or open', () => {
  const networks = (['elevated', 'unelevated'] as const).map((level) =>
    (['restricted', 'enabled'] as const).map((network) => {
      const plan = planned(level, { rules: usual, network });
      return plan.kind === 'windows-plan' ? plan.network : plan.reason;
    }),
  );
  expect(networks).toEqual([
    ['blocked', 'open'],
    ['best-effort', 'open'],
  ]);
});

test('a policy that leaves files open has no plan', () => {
  const policy: ResolvedPolicy = { enforcement: 'managed', files: { kind: 'unrestricted' }, network: 'restricted' };
  for (const level of ['elevated', 'unelevated'] as const) {
    expect(planWindows({ level, policy, usualRoots: [], hostLists: false })).toMatchObject({
      reason: 'nothing-restricted',
    });
  }
});
