import { expect, test } from 'vitest';
import type { FileAccess, PathRule, ResolvedPolicy } from '../../protocol/permissions.ts';
import { planWindows, type WindowsLevel } from './explain-routes.ts';

type Rules = readonly (
  | readonly [path: string, access: FileAccess]
  | readonly [path: string, access: FileAccess, more: Partial<PathRule>]
)[];

interface Row {
  readonly what: string;
  readonly rules: Rules;
  readonly more?: Partial<{ network: 'enabled' | 'restricted'; globs: readonly string[]; lists: boolean }>;
  /** Part of the reason of a refusal. Undefined: there is a plan. */
  readonly elevated?: string;
  readonly unelevated?: string;
}

const usual: Rules = [
  ['/', 'read'],
  ['/ws', 'write'],
  ['/temp', 'write'],
  ['/ws/.git', 'read', { ifMissing: 'protect' }],
];
const matrix: readonly Row[] = [
  { what: 'read-only', rules: [['/', 'read']] },
  { what: 'workspace-write', rules: usual },
  { what: 'full reads, the usual roots, and another read-only carve-out', rules: [...usual, ['/ws/docs', 'read']] },
  {
    what: 'exact readable roots',
    rules: [
      ['/ws', 'read'],
      ['/data', 'read'],
    ],
    unelevated: 'cannot limit what is read',
  },
  {
    what: 'exact writable roots',
    rules: [
      ['/', 'read'],
      ['/srv', 'write'],
    ],
    unelevated: 'only the roots of workspace-write',
  },
  {
    what: 'a denied path',
    rules: [...usual, ['/ws/secret', 'deny']],
    elevated: '"/ws/secret" is denied',
    unelevated: '"/ws/secret" is denied',
  },
  {
    what: 'a denied pattern',
    rules: usual,
    more: { globs: ['/ws/**/*.env'] },
    elevated: '"/ws/**/*.env" is denied',
    unelevated: '"/ws/**/*.env" is denied',
  },
  {
    what: "Capstan's own secrets",
    rules: [...usual, ['/home/auth.json', 'deny', { own: true }]],
    unelevated: `cannot hide Capstan's secrets ("/home/auth.json")`,
  },
  {
    what: 'a writable path inside a read-only carve-out',
    rules: [...usual, ['/ws/docs', 'read'], ['/ws/docs/out', 'write']],
    elevated: '"/ws/docs/out" is writable inside a read-only path',
    unelevated: '"/ws/docs/out" is writable inside a read-only path',
  },
  {
    what: 'hosts by list',
    rules: usual,
    more: { network: 'enabled', lists: true },
    unelevated: 'from going around the proxy',
  },
];

const cases = matrix.flatMap((row) =>
  (['elevated', 'unelevated'] as const).map((level) => [row.what, level, row, row[level]] as const),
);

test.each(cases)('%s, %s', (_what, level, { rules, more = {} }, expected) => {
  const plan = planned(level, { rules, ...more });
  expect(typeof plan).toBe(expected === undefined ? 'object' : 'string');
  expect(String(plan)).toContain(expected ?? '');
});

function planned(
  level: WindowsLevel,
  { rules, network = 'restricted', globs = [], lists = false }: { rules: Rules } & NonNullable<Row['more']>,
) {
  const files = {
    kind: 'restricted',
    rules: rules.map(([path, access, more]): PathRule => ({ path, access, ifMissing: 'skip', ...more })),
    denyGlobs: globs,
    platformDefaults: false,
  } as const;
  const hosts = { allow: ['a.org'], deny: [], local: false, methods: 'any' } as const;
  const policy: ResolvedPolicy = { enforcement: 'managed', files, network, ...(lists && { lists: hosts }) };
  return planWindows(level, policy, ['/ws', '/temp']);
}

test('the network is blocked by the account, at best discouraged by a token, or open', () => {
  const networks = (['elevated', 'unelevated'] as const).map((level) =>
    (['restricted', 'enabled'] as const).map((network) => planned(level, { rules: usual, network })),
  );
  expect(networks).toEqual([
    [{ network: 'blocked' }, { network: 'open' }],
    [{ network: 'best-effort' }, { network: 'open' }],
  ]);
});

test('a policy that leaves files open has no plan', () => {
  const policy: ResolvedPolicy = { enforcement: 'managed', files: { kind: 'unrestricted' }, network: 'restricted' };
  for (const level of ['elevated', 'unelevated'] as const) {
    expect(planWindows(level, policy, [])).toContain('restricts files');
  }
});
