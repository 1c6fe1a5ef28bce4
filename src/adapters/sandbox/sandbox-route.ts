import { needsSandbox, networkReach } from '../../core/policy/paths/access.ts';
import { landlockObstacle } from '../../core/policy/profiles/landlock-policy.ts';
import type { SandboxRefused } from '../../ports/sandbox.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import { landlockRefusal, sandboxRefusal, unenforceableRefusal } from './refusals.ts';
import type { Bubblewrap } from './linux/bubblewrap.ts';
import type { LandlockFact } from './linux/landlock-library.ts';
import { isSeccompArchitecture } from './linux/seccomp.ts';

/** Older kernels cannot keep signals and abstract sockets inside. */
export const leastLandlockAbi = 6;

/** Facts that decide how commands are isolated on a machine. Absent: not examined yet. */
export interface MachineFacts {
  /** In Node's naming. */
  readonly platform: string;
  readonly architecture: string;
  readonly isWsl1?: boolean;
  readonly bubblewrap?: Bubblewrap | SandboxRefused;
  readonly landlock?: LandlockFact | SandboxRefused;
}

/** `look`: the route depends on a fact about the machine that the caller must examine first. */
export type SandboxRoute =
  | { readonly kind: 'direct' | 'landlock' | 'seatbelt' }
  | { readonly kind: 'bubblewrap'; readonly bubblewrap: Bubblewrap }
  | { readonly kind: 'look'; readonly at: 'isWsl1' | 'bubblewrap' | 'landlock' }
  | SandboxRefused;

/**
 * A policy that needs no sandbox runs directly, one that was fitted to Landlock under Landlock, any other under the
 * system's usual mechanism. If that cannot be used, nothing runs (I10).
 */
export function chooseSandboxRoute(machine: MachineFacts, policy: ResolvedPolicy): SandboxRoute {
  if (!needsSandbox(policy)) return { kind: 'direct' };
  if (machine.platform === 'linux') return chooseOnLinux(machine, policy);
  if (machine.platform !== 'darwin') return noSandboxOn(machine.platform);
  return networkReach(policy) === 'listed' ? noProxyOn(machine.platform) : { kind: 'seatbelt' };
}

function chooseOnLinux(machine: MachineFacts, policy: ResolvedPolicy): SandboxRoute {
  if (machine.isWsl1 === undefined) return { kind: 'look', at: 'isWsl1' };
  if (machine.isWsl1) return wsl1Refusal;
  if (policy.landlock !== undefined) return landlockRoute(machine, policy);
  const { bubblewrap, landlock } = machine;
  if (bubblewrap === undefined) return { kind: 'look', at: 'bubblewrap' };
  if (bubblewrap.kind === 'bubblewrap') return { kind: 'bubblewrap', bubblewrap };
  if (landlock === undefined) return { kind: 'look', at: 'landlock' };
  return withLandlockAdvice(bubblewrap, landlockProblem(machine));
}

function landlockRoute(machine: MachineFacts, policy: ResolvedPolicy): SandboxRoute {
  const obstacle = landlockObstacle(policy);
  if (obstacle !== undefined)
    return unenforceableRefusal(`Landlock cannot enforce this policy: ${obstacle.why}.`, obstacle.next);
  if (machine.landlock === undefined) return { kind: 'look', at: 'landlock' };
  return landlockProblem(machine) ?? { kind: 'landlock' };
}

/** Why Landlock cannot be used on this machine. Undefined if it can. */
export function landlockProblem({ landlock, architecture }: MachineFacts): SandboxRefused | undefined {
  if (landlock?.kind === 'refused') return landlock;
  if (!isSeccompArchitecture(architecture))
    return landlockRefusal(`there is no system-call filter for ${architecture}`);
  const { abi = 0 } = landlock ?? {};
  const why = `the kernel has version ${abi} of it, and only version ${leastLandlockAbi} (Linux 6.12) or newer keeps signals inside`;
  return abi >= leastLandlockAbi ? undefined : landlockRefusal(why);
}

/** Without bubblewrap, the refusal also explains how to choose Landlock, or why that is impossible. */
function withLandlockAdvice(bubblewrap: SandboxRefused, landlock: SandboxRefused | undefined): SandboxRefused {
  if (landlock !== undefined) return { ...bubblewrap, message: `${bubblewrap.message} ${landlock.message}` };
  const [first = '', rest] = [bubblewrap.next.charAt(0), bubblewrap.next.slice(1)];
  return { ...bubblewrap, next: `${landlockAdvice} Or ${first.toLowerCase()}${rest}` };
}

const landlockAdvice =
  'Agree to Landlock, which protects less: add `--sandbox-fallback landlock`, or set sandbox_fallback = "landlock" in your config.toml. `capstan sandbox explain -P :workspace` says what is lost.';

export const wsl1Refusal: SandboxRefused = sandboxRefusal(
  'sandbox-unusable',
  'This is WSL 1, whose kernel cannot create the namespaces that a sandbox needs.',
  'Convert the distribution with `wsl --set-version NAME 2` in Windows, and start it again.',
);

/** Without the proxy the lists would have no effect (I10). */
function noProxyOn(platform: string): SandboxRefused {
  const message = `The permission profile lists hosts, and there is no proxy that enforces the lists on ${platform} yet.`;
  return unenforceableRefusal(
    message,
    'Remove the lists from the profile to allow every host, or disable the network.',
  );
}

function noSandboxOn(platform: string): SandboxRefused {
  const message = `There is no sandbox for ${platform} yet, and the policy requires one for commands.`;
  const next =
    'Run inside WSL2, a Linux machine or a container, or choose the mode danger-full-access if this machine is itself isolated.';
  return sandboxRefusal('sandbox-missing', message, next);
}
