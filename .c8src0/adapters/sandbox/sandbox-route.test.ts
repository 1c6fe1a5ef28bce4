import { expect, test } from 'vitest';
import { noOwnPlaces } from '../../core/policy/paths/special-places.ts';
import { builtInProfile } from '../../core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../core/policy/profiles/resolve-policy.ts';
import type { SandboxRefused } from '../../ports/sandbox.ts';
import type { PermissionProfile, ResolvedPolicy } from '../../protocol/permissions.ts';
import type { Bubblewrap } from './linux/bubblewrap.ts';
import { chooseSandboxRoute, type MachineFacts } from './sandbox-route.ts';

const options = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };
const places = { cwd: '/ws', workspaceRoots: ['/ws'], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
const resolved = (profile: PermissionProfile): ResolvedPolicy => resolvePolicy(profile, places);
const fitted = (profile: PermissionProfile): ResolvedPolicy => resolvePolicy(profile, { ...places, landlock: true });

const policies = {
  'full access': resolved({ type: 'disabled' }),
  'another sandbox': resolved({ type: 'external', network: 'restricted' }),
  'read-only': resolved(builtInProfile('read-only', options)),
  'workspace-write': resolved(builtInProfile('workspace-write', options)),
  'no network': resolved({ type: 'managed', file_system: { type: 'unrestricted' }, network: 'restricted' }),
  'fitted read-only': fitted(builtInProfile('read-only', options)),
  'fitted workspace-write': fitted(builtInProfile('workspace-write', options)),
  'fitted no network': fitted({ type: 'managed', file_system: { type: 'unrestricted' }, network: 'restricted' }),
  'fitted hosts': {
    ...fitted(builtInProfile('read-only', { ...options, network: true })),
    network: 'enabled',
    lists: { allow: ['a.org'], deny: [], local: false, methods: 'any' },
  },
  'fitted sockets': { ...fitted(builtInProfile('read-only', options)), sockets: ['/run/x'] },
  'fitted carve-out': fitted({
    type: 'managed',
    file_system: {
      type: 'restricted',
      entries: [
        { path: { type: 'path', path: '/ws' }, access: 'write' },
        { path: { type: 'path', path: '/ws/docs' }, access: 'read' },
      ],
    },
    network: 'restricted',
  }),
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
const mac: MachineFacts = { platform: 'darwin', architecture: 'arm64' };

type Row = readonly [what: string, machine: MachineFacts, policy: keyof typeof policies, route: string];

const rows: readonly Row[] = [
  ['nothing to enforce needs no sandbox', linux, 'full access', 'direct'],
  ['nor does a sandbox around us', { platform: 'aix', architecture: 'ppc64' }, 'another sandbox', 'direct'],
  ['Linux first asks which kernel it is', linux, 'read-only', 'look isWsl1'],
  ['then for bubblewrap', { ...linux, isWsl1: false }, 'read-only', 'look bubblewrap'],
  ['WSL 1 is refused before bubblewrap is looked for', { ...linux, isWsl1: true }, 'read-only', 'sandbox-unusable'],
  ['WSL 1 is refused even where bubblewrap is known', { ...known, isWsl1: true }, 'read-only', 'sandbox-unusable'],
  ['bubblewrap holds read-only', known, 'read-only', 'bubblewrap'],
  ['bubblewrap holds workspace-write', known, 'workspace-write', 'bubblewrap'],
  ['bubblewrap cuts off the network alone', known, 'no network', 'bubblewrap'],
  ['without bubblewrap Landlock is looked for, to say so', without, 'read-only', 'look landlock'],
  ['and never used without a policy that was fitted to it', kernel, 'read-only', 'sandbox-missing'],
  ['without Landlock both are missing', { ...without, landlock: noLandlock }, 'read-only', 'sandbox-missing'],
  ['a fitted policy is for Landlock alone', known, 'fitted read-only', 'look landlock'],
  ['which holds read-only', kernel, 'fitted read-only', 'landlock'],
  ['and workspace-write', kernel, 'fitted workspace-write', 'landlock'],
  ['and the network', kernel, 'fitted no network', 'landlock'],
  ['but no lists of hosts', kernel, 'fitted hosts', 'policy-unenforceable'],
  ['nor listed sockets', kernel, 'fitted sockets', 'policy-unenforceable'],
  ['nor what the user keeps inside a root', kernel, 'fitted carve-out', 'policy-unenforceable'],
  ['Landlock may be missing', { ...kernel, landlock: noLandlock }, 'fitted read-only', 'sandbox-missing'],
  ['or too old', { ...kernel, landlock: { kind: 'landlock', abi: 5 } }, 'fitted read-only', 'sandbox-missing'],
  ['or the processor is not known', { ...kernel, architecture: 'riscv64' }, 'fitted read-only', 'sandbox-missing'],
  ['a Mac has Seatbelt', mac, 'workspace-write', 'seatbelt'],
  ['but no proxy for lists of hosts', mac, 'fitted hosts', 'policy-unenforceable'],
  ['Windows has none', { platform: 'win32', architecture: 'x64' }, 'read-only', 'sandbox-missing'],
  ['any other system has none', { platform: 'freebsd', architecture: 'x64' }, 'read-only', 'sandbox-missing'],
];

test.each(rows)('%s', (_what, machine, policy, expected) => {
  const route = chooseSandboxRoute(machine, policies[policy]);
  const shown = {
    look: () => `look ${route.kind === 'look' ? route.at : ''}`,
    refused: () => (route.kind === 'refused' ? route.code : ''),
  };
  expect(route.kind in shown ? shown[route.kind as keyof typeof shown]() : route.kind).toBe(expected);
});

test('a refusal says how to take Landlock, or why there is none either', () => {
  const route = (machine: MachineFacts, policy: keyof typeof policies = 'read-only') =>
    chooseSandboxRoute(machine, policies[policy]);
  const advice = expect.stringContaining('--sandbox-fallback landlock');
  expect(route(kernel)).toMatchObject({ message: 'no bwrap', next: advice });
  expect(route({ ...without, landlock: noLandlock })).toMatchObject({ message: 'no bwrap no landlock', next: '' });
  const old = route({ ...kernel, landlock: { kind: 'landlock', abi: 5 } });
  expect(old).toMatchObject({ message: expect.stringContaining('version 5 of it, and only version 6 (Linux 6.12)') });
  expect(route(kernel, 'fitted carve-out')).toMatchObject({
    message:
      'Landlock cannot enforce this policy: it cannot keep read-only "/ws/docs" inside the writable folder "/ws".',
  });
});
