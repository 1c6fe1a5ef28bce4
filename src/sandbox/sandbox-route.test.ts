import { expect, test } from 'vitest';
import { noOwnPlaces } from '../policy/own-places.ts';
import { profileFor } from '../policy/profiles.ts';
import { resolvePolicy } from '../policy/resolve-policy.ts';
import type { SandboxRefused } from '../ports/sandbox.ts';
import type { PermissionProfile } from '../protocol/permission-profile.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import type { Bubblewrap } from './linux/bubblewrap.ts';
import { chooseRoute, type MachineFacts, type SandboxRouteOptions } from './sandbox-route.ts';
import { planWindows } from './windows/windows-plan.ts';

const options = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };
const places = { cwd: '/ws', workspaceRoots: ['/ws'], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
const resolved = (profile: PermissionProfile): ResolvedPolicy => resolvePolicy(profile, places);

const policies = {
  'full access': resolved({ type: 'disabled' }),
  'another sandbox': resolved({ type: 'external', network: 'restricted' }),
  'read-only': resolved(profileFor('read-only', options)),
  'workspace-write': resolved(profileFor('workspace-write', options)),
  'no network': resolved({ type: 'managed', file_system: { type: 'unrestricted' }, network: 'restricted' }),
} as const satisfies Readonly<Record<string, ResolvedPolicy>>;

const bubblewrap: Bubblewrap = {
  kind: 'bubblewrap',
  path: '/bwrap',
  closesUserNamespaces: true,
  ownProcessTable: true,
};
const absent: SandboxRefused = { kind: 'refused', code: 'sandbox-missing', message: 'no bwrap', next: '' };
const noLandlock: SandboxRefused = { kind: 'refused', code: 'sandbox-missing', message: 'no landlock', next: '' };

const linux: MachineFacts = { platform: 'linux', architecture: 'x64' };
const known: MachineFacts = { ...linux, isWsl1: false, bubblewrap };
const without: MachineFacts = { ...linux, isWsl1: false, bubblewrap: absent };
const kernel: MachineFacts = { ...without, landlock: { kind: 'landlock', abi: 7 } };
const windows = (
  level: 'elevated' | 'unelevated',
  hasLauncher: boolean,
  policy: keyof typeof policies,
): MachineFacts => ({
  platform: 'win32',
  architecture: 'x64',
  windows: {
    plan: planWindows({ level, policy: policies[policy], usualRoots: ['/ws'], hostLists: false }),
    hasLauncher,
  },
});

type Row = readonly [
  what: string,
  machine: MachineFacts,
  policy: keyof typeof policies,
  options: Partial<SandboxRouteOptions>,
  route: string,
];

const rows: readonly Row[] = [
  ['nothing to enforce needs no sandbox', linux, 'full access', {}, 'direct'],
  ['nor does a sandbox around us', { platform: 'aix', architecture: 'ppc64' }, 'another sandbox', {}, 'direct'],
  ['Linux first asks which kernel it is', linux, 'read-only', {}, 'look isWsl1'],
  ['then for bubblewrap', { ...linux, isWsl1: false }, 'read-only', {}, 'look bubblewrap'],
  ['WSL 1 is refused before bubblewrap is looked for', { ...linux, isWsl1: true }, 'read-only', {}, 'sandbox-unusable'],
  ['WSL 1 is refused even where bubblewrap is known', { ...known, isWsl1: true }, 'read-only', {}, 'sandbox-unusable'],
  ['bubblewrap holds read-only', known, 'read-only', {}, 'bubblewrap'],
  ['bubblewrap holds workspace-write', known, 'workspace-write', {}, 'bubblewrap'],
  ['bubblewrap cuts off the network alone', known, 'no network', {}, 'bubblewrap'],
  ['without bubblewrap Landlock is looked for', without, 'read-only', {}, 'look landlock'],
  ['and holds read-only', kernel, 'read-only', {}, 'landlock'],
  ['and the network', kernel, 'no network', {}, 'landlock'],
  ['but no carve-outs: what is missing is bubblewrap', kernel, 'workspace-write', {}, 'sandbox-missing'],
  ['nor lists of hosts', kernel, 'read-only', { hostLists: true }, 'sandbox-missing'],
  ['without Landlock bubblewrap is missing', { ...without, landlock: noLandlock }, 'read-only', {}, 'sandbox-missing'],
  [
    'an old Landlock will not do',
    { ...kernel, landlock: { kind: 'landlock', abi: 5 } },
    'read-only',
    {},
    'sandbox-missing',
  ],
  ['nor a processor without a filter', { ...kernel, architecture: 'riscv64' }, 'read-only', {}, 'sandbox-missing'],
  ['preferred, Landlock comes first', linux, 'read-only', { landlock: 'preferred' }, 'look landlock'],
  [
    'and is used',
    { ...known, landlock: { kind: 'landlock', abi: 7 } },
    'read-only',
    { landlock: 'preferred' },
    'landlock',
  ],
  ['except for what it cannot hold', known, 'workspace-write', { landlock: 'preferred' }, 'bubblewrap'],
  ['or where there is none', { ...known, landlock: noLandlock }, 'read-only', { landlock: 'preferred' }, 'bubblewrap'],
  ['required, it is Landlock or nothing', known, 'workspace-write', { landlock: 'required' }, 'policy-unenforceable'],
  ['also with a list of hosts', kernel, 'read-only', { landlock: 'required', hostLists: true }, 'policy-unenforceable'],
  ['a Mac has Seatbelt', { platform: 'darwin', architecture: 'arm64' }, 'workspace-write', {}, 'seatbelt'],
  [
    'but no proxy for lists of hosts',
    { platform: 'darwin', architecture: 'arm64' },
    'workspace-write',
    { hostLists: true },
    'policy-unenforceable',
  ],
  ['Windows without a level has none', { platform: 'win32', architecture: 'x64' }, 'read-only', {}, 'sandbox-missing'],
  ['nor without a launcher', windows('elevated', false, 'read-only'), 'read-only', {}, 'sandbox-missing'],
  ['elevated', windows('elevated', true, 'workspace-write'), 'workspace-write', {}, 'windows elevated'],
  ['unelevated', windows('unelevated', true, 'workspace-write'), 'workspace-write', {}, 'windows unelevated'],
  [
    'what access lists cannot say is refused',
    windows('elevated', true, 'no network'),
    'no network',
    {},
    'policy-unenforceable',
  ],
  ['any other system has none', { platform: 'freebsd', architecture: 'x64' }, 'read-only', {}, 'sandbox-missing'],
];

test.each(rows)('%s', (_what, machine, policy, more, expected) => {
  const route = chooseRoute(machine, policies[policy], { landlock: 'fallback', hostLists: false, ...more });
  const shown = {
    look: () => `look ${route.kind === 'look' ? route.at : ''}`,
    windows: () => `windows ${route.kind === 'windows' ? route.plan.level : ''}`,
    refused: () => (route.kind === 'refused' ? route.code : ''),
  };
  expect(route.kind in shown ? shown[route.kind as keyof typeof shown]() : route.kind).toBe(expected);
});

test('why Landlock will not do is said with the place', () => {
  expect(chooseRoute(kernel, policies['workspace-write'], { landlock: 'required', hostLists: false })).toMatchObject({
    message: 'Landlock cannot enforce this policy: it cannot keep "/ws/.git" read-only inside a writable folder.',
  });
});
