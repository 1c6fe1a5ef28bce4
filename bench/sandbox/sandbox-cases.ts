import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPermissionPlaces } from '../../src/adapters/gather/permission-places.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import type {
  FileSystemEntry,
  NetworkLists,
  PermissionProfile,
  ResolvedPolicy,
} from '../../src/protocol/permissions.ts';
import { findOwnPlaces } from '../../src/engine/sandbox/protected-paths.ts';
import { plainEnvironment } from '../process/command.ts';
import { Place } from '../process/place.ts';
import type { MarkId } from '../report/marks.ts';

/** A workspace and a policy for it. */
export interface SandboxCase {
  readonly mark: MarkId;
  readonly place: Place;
  readonly policy: ResolvedPolicy;
}

interface Kind {
  readonly mark: MarkId;
  readonly files: number;
  /** Additions to the profile. */
  readonly more?: (workspace: string, profile: ManagedProfile) => PermissionProfile;
}

type ManagedProfile = Extract<PermissionProfile, { type: 'managed' }>;

const kinds: readonly Kind[] = [
  { mark: 'sandbox', files: 10 },
  { mark: 'sandbox-carved', files: 10, more: carved },
  { mark: 'sandbox-files', files: 10_000 },
  { mark: 'sandbox-hosts', files: 10, more: listed },
];

export function sandboxCases(folder: string, marks: readonly MarkId[]): readonly SandboxCase[] {
  return kinds
    .filter(({ mark }) => marks.length === 0 || marks.includes(mark))
    .map(({ mark, files, more }) => {
      const place = new Place(join(folder, mark));
      makeFiles(place.workspace, files);
      const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
      const plain = builtInProfile('workspace-write', options) as ManagedProfile;
      return { mark, place, policy: policyIn(place, more?.(place.workspace, plain) ?? plain) };
    });
}

/** With the engine's own places, which are kept from every command. */
function policyIn({ workspace, home, osHome }: Place, profile: PermissionProfile): ResolvedPolicy {
  const env = plainEnvironment(osHome);
  const own = findOwnPlaces({ env, home, osHome, root: join(import.meta.dirname, '../..'), configFiles: [] });
  return resolvePolicy(profile, findPermissionPlaces(workspace, env, { own, profile }));
}

/** Twenty of them: folders that cannot be read, a folder in some that can be, and folders that cannot be written. */
function carved(workspace: string, profile: ManagedProfile): PermissionProfile {
  if (profile.file_system.type === 'unrestricted') return profile;
  const entry = (name: string, access: FileSystemEntry['access']): FileSystemEntry => {
    const path = join(workspace, name);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'file'), 'text\n');
    return { path: { type: 'path', path }, access };
  };
  const entries = [
    ...numbers(8).map((index) => entry(`closed-${index}`, 'deny')),
    ...numbers(5).map((index) => entry(`closed-${index}/readable`, 'read')),
    ...numbers(7).map((index) => entry(`fixed-${index}`, 'read')),
  ];
  return { ...profile, file_system: { ...profile.file_system, entries: [...profile.file_system.entries, ...entries] } };
}

/** The network through the proxy. */
function listed(_workspace: string, profile: ManagedProfile): PermissionProfile {
  const lists: NetworkLists = { allow: ['example.com'], deny: [], local: false, methods: 'any' };
  return { ...profile, network: 'enabled', capstan_network: { lists } };
}

function makeFiles(workspace: string, count: number): void {
  for (const index of numbers(count)) {
    const folder = join(workspace, `part-${Math.floor(index / 400)}/folder-${Math.floor(index / 20)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${index}`), 'text\n');
  }
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
