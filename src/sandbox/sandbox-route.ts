import { needsSandbox } from '../policy/access.ts';
import type { SandboxRefused } from '../ports/sandbox.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import { unenforceable } from './common/unenforceable.ts';
import type { Bubblewrap } from './linux/bubblewrap.ts';
import type { LandlockFact } from './linux/landlock-library.ts';
import {
  leastLandlockAbi,
  type LegacyDifference,
  type LegacyModel,
  projectToLegacy,
} from './linux/legacy-projection.ts';
import { isSeccompArchitecture } from './linux/seccomp.ts';
import type { WindowsImpossible, WindowsPlan } from './windows/windows-plan.ts';

/** What decides how commands are isolated on a machine. Absent: not looked at yet. */
export interface MachineFacts {
  /** As Node names them. */
  readonly platform: string;
  readonly architecture: string;
  readonly isWsl1?: boolean;
  readonly bubblewrap?: Bubblewrap | SandboxRefused;
  readonly landlock?: LandlockFact | SandboxRefused;
  /** What the sandbox of Windows would do for the policy, and whether a program is there that starts commands in it. */
  readonly windows?: { readonly plan: WindowsPlan | WindowsImpossible; readonly hasLauncher: boolean };
}

export interface SandboxRouteOptions {
  /** `fallback`: where bubblewrap cannot be used. `preferred`: wherever it can enforce the policy. `required`: or nothing. */
  readonly landlock: 'fallback' | 'preferred' | 'required';
  /** Hosts are listed, so that commands reach the network through a proxy. */
  readonly hostLists: boolean;
}

/** By which means a command is isolated. `look`: it depends on a fact that is still to be found out. */
export type SandboxRoute =
  | { readonly kind: 'direct' }
  | { readonly kind: 'bubblewrap'; readonly bubblewrap: Bubblewrap }
  | { readonly kind: 'landlock'; readonly model: LegacyModel }
  | { readonly kind: 'seatbelt' }
  | { readonly kind: 'windows'; readonly plan: WindowsPlan }
  | { readonly kind: 'look'; readonly at: 'isWsl1' | 'bubblewrap' | 'landlock' }
  | SandboxRefused;

/** The route for a policy on a machine: bubblewrap first, another one only if it enforces the policy exactly (I10). */
export function chooseRoute(machine: MachineFacts, policy: ResolvedPolicy, options: SandboxRouteOptions): SandboxRoute {
  if (!needsSandbox(policy)) return { kind: 'direct' };
  switch (machine.platform) {
    case 'darwin':
      return options.hostLists ? noProxyOn(machine.platform) : { kind: 'seatbelt' };
    case 'linux':
      return chooseOnLinux(machine, policy, options);
    case 'win32':
      return chooseOnWindows(machine);
    default:
      return noSandboxOn(machine.platform);
  }
}

function chooseOnLinux(machine: MachineFacts, policy: ResolvedPolicy, options: SandboxRouteOptions): SandboxRoute {
  // Asked only where it counts: comparing a policy with the coarse model looks at every rule.
  if (options.landlock !== 'fallback') {
    const landlock = landlockRoute(machine, policy, options);
    if (options.landlock === 'required' || landlock.kind !== 'refused') return landlock;
  }
  if (machine.isWsl1 === undefined) return { kind: 'look', at: 'isWsl1' };
  if (machine.isWsl1) return onWsl1;
  const { bubblewrap } = machine;
  if (bubblewrap === undefined) return { kind: 'look', at: 'bubblewrap' };
  if (bubblewrap.kind === 'bubblewrap') return { kind: 'bubblewrap', bubblewrap };
  const landlock = landlockRoute(machine, policy, options);
  // What is missing is bubblewrap: a machine without it need not hear why the second choice would not do.
  return landlock.kind === 'refused' ? bubblewrap : landlock;
}

function landlockRoute(
  { landlock, architecture }: MachineFacts,
  policy: ResolvedPolicy,
  options: SandboxRouteOptions,
): SandboxRoute {
  if (options.hostLists) return landlockCannot('it has no network of its own in which only the proxy could be reached');
  if (!isSeccompArchitecture(architecture)) return landlockCannot(`there is no system-call filter for ${architecture}`);
  const model = projectToLegacy(policy);
  if (model.kind === 'legacy-difference') return landlockCannot(differenceWords(model));
  if (landlock === undefined) return { kind: 'look', at: 'landlock' };
  if (landlock.kind === 'refused') return landlock;
  if (landlock.abi >= leastLandlockAbi) return { kind: 'landlock', model };
  return landlockCannot(
    `the kernel has version ${landlock.abi} of it, and only version ${leastLandlockAbi} or newer keeps signals inside`,
  );
}

/** Why the coarse model does not hold a policy, as the end of a sentence. */
function differenceWords({ path, wanted }: LegacyDifference): string {
  const where = JSON.stringify(path);
  return wanted === 'deny' ? `it cannot hide ${where}` : `it cannot keep ${where} read-only inside a writable folder`;
}

function landlockCannot(why: string): SandboxRefused {
  return unenforceable({ message: `Landlock cannot enforce this policy: ${why}.`, next: 'Use bubblewrap.' });
}

function chooseOnWindows({ windows }: MachineFacts): SandboxRoute {
  if (windows === undefined) return noSandboxOn('win32');
  const { plan, hasLauncher } = windows;
  if (plan.kind === 'windows-impossible') return unenforceable({ message: plan.message, next: isolatedElsewhere });
  return hasLauncher ? { kind: 'windows', plan } : noSandboxOn('win32');
}

const onWsl1: SandboxRefused = {
  kind: 'refused',
  code: 'sandbox-unusable',
  message: 'This is WSL 1, whose kernel cannot create the namespaces that a sandbox needs.',
  next: 'Convert the distribution with `wsl --set-version NAME 2` in Windows, and start it again.',
};

const isolatedElsewhere =
  'Run inside WSL2, a Linux machine or a container, or choose the mode danger-full-access if this machine is itself isolated.';

/** Without the proxy the lists would be mere text (I10). */
function noProxyOn(platform: string): SandboxRefused {
  return unenforceable({
    message: `The permission profile lists hosts, and there is no proxy that enforces the lists on ${platform} yet.`,
    next: 'Remove the lists from the profile to allow every host, or disable the network.',
  });
}

function noSandboxOn(platform: string): SandboxRefused {
  const message = `There is no sandbox for ${platform} yet, and the policy requires one for commands.`;
  return { kind: 'refused', code: 'sandbox-missing', message, next: isolatedElsewhere };
}
