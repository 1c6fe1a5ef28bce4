import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import type { ProcessTable, ProgramFiles } from '../../src/ports/system.ts';
import type { PlainCommand } from '../../src/ports/sandbox.ts';
import type { CommandSpawner, SpawnLimits } from '../../src/ports/commands.ts';
import { defined } from '../../src/base/objects.ts';
import type {
  FileAccess,
  DeniedRequest,
  FileSystemEntry,
  NetworkAccess,
  PermissionProfile,
  ResolvedPolicy,
  SandboxMode,
} from '../../src/protocol/permissions.ts';
import { createSandbox } from '../../src/adapters/sandbox/sandbox.ts';
import { bubblewrapCandidates } from '../../src/adapters/sandbox/linux/find-bubblewrap.ts';
import { mountRegistryFolders } from '../../src/adapters/sandbox/linux/mount-registry.ts';
import { noNamespaces } from './namespaces.ts';

/** Real commands in real sandboxes, for tests. */
export interface Trial {
  /** A name for the suite, which says why it is skipped when it is. */
  readonly title: string;
  readonly isPossible: boolean;
  /** The workspace, with one file in it; a neighbour; the home folder. They stand in `base`, outside of /tmp. */
  readonly base: string;
  readonly repo: string;
  readonly sibling: string;
  readonly home: string;
  /** A folder in /tmp. */
  readonly temporary: string;
  /** Makes the folders anew. */
  reset(): void;
  remove(): void;
  /** The end of a command; a refusal has the exit code -1 and its sentence as text. */
  run(
    profile: PermissionProfile,
    script: string | readonly string[],
    options?: TrialOptions,
  ): Promise<{ readonly exitCode: number; readonly text: string; readonly denied?: readonly DeniedRequest[] }>;
  /** Which of the scripts do not fail, one after the other. */
  succeeding(profile: PermissionProfile, scripts: readonly string[]): Promise<readonly string[]>;
}

export interface TrialOptions extends Pick<ResolvedPolicy, 'lists' | 'sockets'>, Pick<PlainCommand, 'answerHost'> {
  readonly cwd?: string;
  readonly timeoutMs?: number;
  readonly pauses?: SpawnLimits['pauses'];
  readonly env?: Readonly<Record<string, string>>;
}

export interface TrialParts {
  readonly spawn: CommandSpawner;
  readonly programFiles: ProgramFiles;
  readonly processes: ProcessTable;
  /** The registry of mount points. `shared`, as engines have it: all sandboxes of a machine mount on folders in /tmp. */
  readonly registry?: 'shared' | 'in base';
}

const mostTries = 5;

export function createTrial({ spawn, programFiles, processes, registry = 'shared' }: TrialParts): Trial {
  const packaged = join(import.meta.dirname, '../../.local/bubblewrap/usr/bin/bwrap');
  const chosen = process.env['CAPSTAN_BWRAP'];
  const candidates = bubblewrapCandidates(
    { path: process.env['PATH'] ?? '', writable: [], packaged, ...(chosen === undefined ? {} : { chosen }) },
    programFiles,
  );
  const isPossible = !noNamespaces && candidates.some((candidate) => typeof candidate === 'string');
  // Every workspace may write /tmp, so what must not be written stands elsewhere.
  const base = isPossible ? mkdtempSync('/var/tmp/capstan-sandbox-') : '';
  const temporary = isPossible ? mkdtempSync('/tmp/capstan-sandbox-') : '';
  const [repo, sibling, home] = [join(base, 'repo'), join(base, 'sibling'), join(base, 'home')];
  const registries = registry === 'shared' ? mountRegistryFolders() : [join(base, 'registry')];
  const sandbox = createSandbox({
    platform: process.platform,
    architecture: process.arch,
    env: process.env,
    writable: () => [repo],
    packagedBubblewrap: packaged,
    mountRegistries: () => registries,
    spawn,
    programFiles,
    processes,
  });

  const runOnce: Trial['run'] = async (profile, script, options = {}) => {
    const { cwd = repo, timeoutMs = 20_000, pauses, env: more = {}, answerHost, ...network } = options;
    const own = { program: registries.slice(0, 1), state: [], parts: [], secrets: [], stores: [] };
    const places = { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [], own };
    const policy = { ...resolvePolicy(profile, places), ...network };
    const argv = typeof script === 'string' ? ['bash', '-c', script] : script;
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, LC_ALL: 'C', ...more };
    const planned = await sandbox.plan({ argv, cwd, env, ...defined({ answerHost }) }, policy, []);
    if (planned.kind === 'refused') return { exitCode: -1, text: `${planned.code}: ${planned.message}` };
    const end = await spawn.run(
      planned,
      { timeoutMs, outputBytes: 100_000, ...defined({ pauses }) },
      { signal: new AbortController().signal },
    );
    if (end.kind === 'not-started') return { exitCode: -1, text: end.reason };
    const denied = planned.denied?.();
    return { exitCode: end.kind === 'exited' ? end.exitCode : -1, text: end.output.text, ...defined({ denied }) };
  };
  /** With listed sockets all others are hidden. One of another suite was gone before its place was covered: nothing ran. */
  const isLostSocket = (text: string): boolean => {
    const path = /^bwrap: Can't create file at (.+): [^:]+\n$/.exec(text)?.[1];
    return path !== undefined && ![base, temporary, ...registries].some((own) => path.startsWith(own));
  };

  const trial: Trial = {
    title: isPossible ? 'real sandbox' : 'real sandbox (needs bubblewrap and namespaces)',
    isPossible,
    base,
    repo,
    sibling,
    home,
    temporary,
    reset() {
      for (const folder of [repo, sibling, home]) {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder);
      }
      writeFileSync(join(repo, 'file'), 'old');
    },
    remove() {
      for (const folder of [base, temporary]) rmSync(folder, { recursive: true, force: true });
    },
    async run(profile, script, options) {
      for (let tries = 1; ; tries++) {
        const end = await runOnce(profile, script, options);
        if (options?.sockets === undefined || tries === mostTries || !isLostSocket(end.text)) return end;
      }
    },
    async succeeding(profile, scripts) {
      const succeeded: string[] = [];
      for (const script of scripts) if ((await trial.run(profile, script)).exitCode === 0) succeeded.push(script);
      return succeeded;
    },
  };
  return trial;
}

export function modeProfile(mode: SandboxMode, network: NetworkAccess): PermissionProfile {
  return builtInProfile(mode, {
    network: network === 'enabled',
    writableRoots: [],
    excludeTmpdir: false,
    excludeSlashTmp: false,
  });
}

export function rulesProfile(
  rules: readonly (readonly [string, FileAccess])[],
  more: { readonly platform?: boolean; readonly globs?: readonly string[] } = {},
): PermissionProfile {
  const entries: FileSystemEntry[] = [
    ...rules.map(([path, access]): FileSystemEntry => ({ path: { type: 'path', path }, access })),
    ...(more.globs ?? []).map((pattern): FileSystemEntry => ({
      path: { type: 'glob_pattern', pattern },
      access: 'deny',
    })),
  ];
  if (more.platform) entries.push({ path: { type: 'special', value: { kind: 'minimal' } }, access: 'read' });
  return { type: 'managed', file_system: { type: 'restricted', entries }, network: 'restricted' };
}
