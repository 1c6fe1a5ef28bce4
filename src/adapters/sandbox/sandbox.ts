import { valueOr } from '../../base/objects.ts';
import { joinPath, parentPath } from '../../core/policy/paths/absolute-paths.ts';
import { needsSandbox, writablePaths } from '../../core/policy/paths/access.ts';
import { temporaryFolders } from '../../core/policy/paths/special-places.ts';
import { landlockLeavesOpen } from '../../core/policy/profiles/landlock-policy.ts';
import type { CommandSpawner } from '../../ports/commands.ts';
import type { LandlockUse, PlainCommand, RunnableCommand, Sandbox, SandboxRefused } from '../../ports/sandbox.ts';
import type { ProcessTable, ProgramFiles } from '../../ports/system.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import { readSystemFile } from '../disk/file-system.ts';
import type { Bubblewrap } from './linux/bubblewrap.ts';
import { type BubblewrapParts, findBubblewrap, isWsl1, packagedNotice } from './linux/find-bubblewrap.ts';
import type { LandlockHelper } from './linux/landlock-sandbox.ts';
import { planLinux } from './linux/linux-sandbox.ts';
import { createEmptyMountPoints, type HostMountPoints } from './linux/mount-points.ts';
import { planMacos } from './macos/seatbelt.ts';
import { protectGit } from './policy-on-disk.ts';
import { landlockRefusal, type PlannedCommand, sandboxRefusal } from './refusals.ts';
import { chooseSandboxRoute, landlockProblem as landlockProblemOf, wsl1Refusal } from './sandbox-route.ts';
import type { MachineFacts, SandboxRoute } from './sandbox-route.ts';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface SandboxOptions {
  /** In Node's naming. */
  readonly platform: string;
  readonly architecture: string;
  /** Variables of the process: `PATH`, and `CAPSTAN_BWRAP` for a bubblewrap that is not on it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Folders that commands may write in any mode, besides temporary folders. Capstan takes no bubblewrap from them: a
   * command may have put it there, and the next run would start it.
   */
  readonly writable: () => readonly string[];
  /** Folders that may hold an unpacked bubblewrap, best first; none need exist. */
  readonly packagedBubblewrap?: string | readonly string[];
  /** Bubblewraps that have built a sandbox in this process. Default: none, so each is tried first. */
  readonly provenBubblewraps?: Map<string, Bubblewrap>;
  /** Places, best first, for the list of mount points in use. All engines of this user must get the same places. */
  readonly mountRegistries: () => readonly string[];
  /** Time that a sandbox's folders stay after its end, for the next one. Default: none. */
  readonly lingerMs?: number;
  readonly spawn: Pick<CommandSpawner, 'run'>;
  readonly programFiles: ProgramFiles;
  readonly processes: ProcessTable;
  /** Text of `/proc/version`. Default: that of this machine. */
  readonly kernelVersion?: () => string;
  /** Default: never. */
  readonly landlock?: LandlockUse;
  /** Absent: Landlock is not used. */
  readonly landlockHelper?: LandlockHelper;
  /** Called with a command's writable folders before it starts under Landlock. Throws if it must not start. */
  readonly beforeLandlock?: (writable: readonly string[]) => void;
  readonly limits?: CommandLimits;
}

/** Isolates commands as the policy says, by the platform's mechanism, or refuses them (I10). */
export function createSandbox(options: SandboxOptions) {
  const { platform, architecture, limits = {} } = options;
  const machine = lookAtMachine(options);
  let isPackagedSaid = false;
  let isLandlockSaid = false;
  async function route(policy: ResolvedPolicy): Promise<Exclude<SandboxRoute, { kind: 'look' }>> {
    const roots = writablePaths(policy);
    let facts: MachineFacts = { platform, architecture };
    for (;;) {
      const chosen = chooseSandboxRoute(facts, policy);
      if (chosen.kind !== 'look') return chosen;
      facts = { ...facts, [chosen.at]: await machine[chosen.at](roots) };
    }
  }
  async function isolated(command: PlainCommand, policy: ResolvedPolicy): PlannedCommand {
    const chosen = await route(policy);
    switch (chosen.kind) {
      case 'direct':
        return direct(command);
      case 'seatbelt':
        return planMacos(command, policy);
      case 'bubblewrap': {
        const { bubblewrap } = chosen;
        const mountPoints = machine.mountPoints();
        const planned = await planLinux(command, policy, { bubblewrap, architecture, mountPoints });
        if (planned.kind === 'refused' || bubblewrap.isPackaged !== true || isPackagedSaid) return planned;
        isPackagedSaid = true;
        return { ...planned, notice: packagedNotice(bubblewrap) };
      }
      case 'landlock': {
        const { planWithLandlock } = await import('./linux/landlock-sandbox.ts');
        // Without a helper, no route leads here.
        const planned = await planWithLandlock(command, policy, { architecture, helper: options.landlockHelper! });
        if (planned.kind === 'refused') return planned;
        try {
          options.beforeLandlock?.(policy.files.kind === 'unrestricted' ? ['/'] : writablePaths(policy));
        } catch (error) {
          return unrecorded(error);
        }
        if (isLandlockSaid) return planned;
        isLandlockSaid = true;
        return { ...planned, notice: landlockNotice(options.landlock === 'always') };
      }
      case 'refused':
        return chosen;
    }
  }
  /** Why a mechanism does not work on this Linux. Undefined if it works, or on another system. */
  async function problem(find: () => Promise<SandboxRefused | undefined>): Promise<SandboxRefused | undefined> {
    if (platform !== 'linux') return undefined;
    return machine.isWsl1() ? wsl1Refusal : find();
  }
  const bubblewrapProblem = () =>
    problem(async () => {
      const bubblewrap = await machine.bubblewrap([]);
      return bubblewrap.kind === 'refused' ? bubblewrap : undefined;
    });
  const landlockProblem = () =>
    problem(async () => landlockProblemOf({ platform, architecture, landlock: await machine.landlock() }));
  /** True if Landlock could replace a bubblewrap that does not work here. */
  async function offersLandlock(): Promise<boolean> {
    return (await bubblewrapProblem()) !== undefined && (await landlockProblem()) === undefined;
  }
  const plan: Sandbox['plan'] = async (command, asked, gitFolders) => {
    if (!needsSandbox(asked)) return direct(command);
    // Landlock cannot protect a place inside a folder that it opens.
    const policy = asked.landlock === undefined ? protectGit(asked, gitFolders) : asked;
    if ('kind' in policy) return policy;
    return isolated({ ...command, argv: limitCommand(command.argv, limits) }, policy);
  };
  return {
    plan,
    route,
    offersLandlock,
    bubblewrapProblem,
    landlockProblem,
    /** True if policies are fitted to Landlock now: the user agreed, and nothing better works. */
    async usesLandlock(): Promise<boolean> {
      const { landlock: use = 'never' } = options;
      if (use === 'never' || platform !== 'linux') return false;
      return use === 'always' || offersLandlock();
    },
    /** Starts examining the machine, so that the first command need not wait. Optional. */
    prepare(): void {
      if (platform === 'linux' && !machine.isWsl1()) void machine.bubblewrap([]);
    },
  };
}

function landlockNotice(isChosen: boolean): NonNullable<RunnableCommand['notice']> {
  const why = isChosen ? 'as use_legacy_landlock asks' : 'because the usual sandbox cannot be built';
  return {
    code: 'sandbox-fallback',
    message: `Commands run under Landlock here, ${why}. It does not protect ${landlockLeavesOpen.settings}, nor ${landlockLeavesOpen.modes}.`,
    next: '`capstan sandbox explain -P :workspace` lists what it does not protect.',
  };
}

function unrecorded(error: unknown): SandboxRefused {
  const why = error instanceof Error ? error.message : String(error);
  const message = `Capstan cannot record in its home what commands may change under Landlock: ${why.replace(/\.$/, '')}.`;
  return sandboxRefusal('sandbox-unusable', message, 'Make the home writable, then try again.');
}

function direct(command: PlainCommand): RunnableCommand {
  return { kind: 'runnable', ...command, files: [], cleanup: async () => {} };
}

/** Facts about this machine, each determined once and on demand. */
function lookAtMachine(options: SandboxOptions) {
  const { packagedBubblewrap, spawn, programFiles: files, processes, mountRegistries, lingerMs = 0 } = options;
  const { provenBubblewraps: proven = new Map<string, Bubblewrap>() } = options;
  const { CAPSTAN_BWRAP: chosen, PATH: path = '' } = options.env;
  const temporary = temporaryFolders(options.env);

  const found = new Map<string, Promise<Bubblewrap | SandboxRefused>>();
  let wsl1: boolean | undefined;
  let landlock: ReturnType<typeof lookForLandlock> | undefined;
  let mountPoints: HostMountPoints | undefined;
  const parts: BubblewrapParts = { spawn, files, probed: new Map(), proven, isIntact: isProgramIntact };
  return {
    isWsl1: () => (wsl1 ??= isWsl1(options.kernelVersion?.() ?? readSystemFile('/proc/version'))),
    /** Needs the folders that commands may write: no program from there may be tried, as a trial is unsandboxed. */
    bubblewrap(roots: readonly string[]) {
      const writable = [...new Set([...temporary, ...options.writable(), ...roots])].toSorted();
      const key = writable.join('\0');
      const known = found.get(key) ?? findBubblewrap({ path, writable, chosen, packaged: packagedBubblewrap }, parts);
      found.set(key, known);
      return known;
    },
    landlock: () => (landlock ??= lookForLandlock(options)),
    mountPoints(): HostMountPoints {
      const shared = { temporaryDirectories: temporary, processes, lingerMs };
      return (mountPoints ??= createEmptyMountPoints({ ...shared, registries: mountRegistries() }));
    },
  };
}

/** Loaded on use: most machines have bubblewrap. */
async function lookForLandlock({ landlockHelper }: SandboxOptions): Promise<NonNullable<MachineFacts['landlock']>> {
  if (landlockHelper === undefined) return landlockRefusal('this program has no helper for it');
  return (await import('./linux/landlock-library.ts')).findLandlock(landlockHelper.library);
}

/** Limits of one command's processes. Absent: those of the user. */
type CommandLimits = { readonly maxProcesses?: number; readonly maxMemoryMb?: number };

/**
 * Wraps the command in a shell that lowers the limits and then becomes the command. It must run inside the sandbox,
 * where the kernel counts the processes of the command's user namespace; outside it would count all of the user's. If a
 * limit cannot be set, the command does not run.
 */
export function limitCommand(argv: readonly string[], { maxProcesses, maxMemoryMb }: CommandLimits): readonly string[] {
  const steps = [
    // Bash uses the first option, dash and busybox the second.
    ...(maxProcesses === undefined ? [] : [`{ ulimit -u ${maxProcesses} || ulimit -p ${maxProcesses}; } 2>/dev/null`]),
    // Limits data, not address space: runtimes reserve far more addresses than they use.
    ...(maxMemoryMb === undefined ? [] : [`ulimit -d ${maxMemoryMb * 1024}`]),
  ];
  if (steps.length === 0) return argv;
  const failed = 'echo "capstan: the limits of the sandbox cannot be set" >&2; exit 126';
  return ['/bin/sh', '-c', `${steps.join(' && ')} || { ${failed}; }; exec "$@"`, 'sh', ...argv];
}

export function packagedBubblewrap(folder: string): { readonly program: string; readonly hashFile: string } {
  return { program: joinPath(folder, 'usr/bin/bwrap'), hashFile: joinPath(folder, 'bwrap.sha256') };
}

/** True if the program still has the recorded hash, or if no hash was recorded. */
export function isProgramIntact(program: string): boolean {
  const { hashFile } = packagedBubblewrap(parentPath(parentPath(parentPath(program))));
  const expected = read(hashFile)?.toString('utf8').trim();
  if (expected === undefined) return true;
  const bytes = read(program);
  return bytes !== undefined && programHash(bytes) === expected;
}

/** Loaded on use: most machines have a bubblewrap of their own. */
export const programHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const read = (path: string): Buffer | undefined => valueOr(undefined, () => readFileSync(path));
