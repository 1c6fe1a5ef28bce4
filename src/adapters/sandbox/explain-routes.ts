import { landlockLosses } from '../../core/policy/profiles/landlock-policy.ts';
import { temporaryFolders } from '../../core/policy/paths/special-places.ts';
import { needsSandbox } from '../../core/policy/paths/access.ts';
import { staticFolderOf } from '../../core/policy/paths/glob.ts';
import type { SandboxRefused } from '../../ports/sandbox.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import { coversWholeDisk, protectGit } from './policy-on-disk.ts';
import { unenforceable } from './refusals.ts';
import type { Bubblewrap } from './linux/bubblewrap.ts';
import { chooseRoute, leastLandlockAbi, type MachineFacts, type SandboxRoute } from './sandbox-route.ts';
import { planWindows, type WindowsLevel } from './windows/windows-plan.ts';

export interface RouteExplanation {
  readonly system: 'bubblewrap' | 'landlock' | 'seatbelt' | 'windows-elevated' | 'windows-unelevated';
  /** `limited`: all but `losses`. `unneeded`: the policy restricts nothing. `planned`: not implemented yet. */
  readonly verdict: 'enforced' | 'limited' | 'refused' | 'planned' | 'unneeded';
  /** A sentence: the route, or why there is none. */
  readonly why: string;
  /** Gaps that stay open, in sentences. Absent: none. */
  readonly losses?: readonly string[];
}

const bubblewrap: Bubblewrap = { kind: 'bubblewrap', path: 'bwrap', closesUserNamespaces: true, ownProcessTable: true };
const linux: MachineFacts = { platform: 'linux', architecture: 'x64', isWsl1: false, bubblewrap };
const landlock: MachineFacts = { ...linux, landlock: { kind: 'landlock', abi: leastLandlockAbi } };
const mac: MachineFacts = { platform: 'darwin', architecture: 'arm64' };

interface ExplainedPlace {
  readonly cwd: string;
  readonly temporary: string | undefined;
  /** Why a Linux mechanism does not work on this machine. Absent: it works, or this is another system. */
  readonly problems: { readonly bubblewrap?: SandboxRefused; readonly landlock?: SandboxRefused };
}

/** How each system enforces a policy at best, and this Linux really. `fitted`: the policy as Landlock can hold it. */
export function explainRoutes(
  { whole: asked, fitted }: { readonly whole: ResolvedPolicy; readonly fitted: ResolvedPolicy },
  { cwd, temporary, problems }: ExplainedPlace,
): readonly RouteExplanation[] {
  const kept = protectGit(asked, []);
  const policy = 'kind' in kept ? asked : kept;
  const usualRoots = [cwd, ...temporaryFolders({ TMPDIR: temporary })];
  const onBubblewrap = explained(
    'bubblewrap',
    wholeDiskGlob(policy) ?? chooseRoute(linux, policy),
    'Mounts and namespaces of bubblewrap, and a system-call filter.',
  );
  return [
    here(problems.bubblewrap, onBubblewrap),
    here(problems.landlock, onLandlock(fitted)),
    explained(
      'seatbelt',
      chooseRoute(mac, policy),
      'A profile for /usr/bin/sandbox-exec. It is tested as text and has not been run on a Mac.',
    ),
    onWindows('elevated', policy, usualRoots),
    onWindows('unelevated', policy, usualRoots),
  ];
}

function explained(system: RouteExplanation['system'], route: SandboxRoute, enforced: string): RouteExplanation {
  if (route.kind === 'direct') return { system, verdict: 'unneeded', why: nothingRestricted };
  if (route.kind === 'refused') return { system, verdict: 'refused', why: route.message };
  return { system, verdict: 'enforced', why: enforced };
}

const nothingRestricted = 'The policy restricts nothing here, so commands run as they are.';

function here(problem: SandboxRefused | undefined, ideal: RouteExplanation): RouteExplanation {
  if (problem === undefined || !['enforced', 'limited'].includes(ideal.verdict)) return ideal;
  return { system: ideal.system, verdict: 'refused', why: `Not on this machine: ${problem.message}` };
}

function onLandlock(policy: ResolvedPolicy): RouteExplanation {
  const route = wholeDiskGlob(policy) ?? chooseRoute(landlock, policy);
  const enforced = `Landlock from version ${leastLandlockAbi} on (Linux 6.12), and system-call filters, where bubblewrap cannot be used and you agreed to it (--sandbox-fallback landlock).`;
  const explanation = explained('landlock', route, enforced);
  if (explanation.verdict !== 'enforced') return explanation;
  return { ...explanation, verdict: 'limited', losses: landlockLosses(policy) };
}

function onWindows(level: WindowsLevel, policy: ResolvedPolicy, usualRoots: readonly string[]): RouteExplanation {
  const system = `windows-${level}` as const;
  if (!needsSandbox(policy)) return { system, verdict: 'unneeded', why: nothingRestricted };
  const plan = planWindows(level, policy, usualRoots);
  if (typeof plan === 'string') return { system, verdict: 'refused', why: plan };
  const network = plan.network === 'best-effort' ? ', but the network only for programs that cooperate' : '';
  const why = `Access lists can express it${network}. Capstan cannot set them yet, so it refuses the command.`;
  return { system, verdict: 'planned', why };
}

/** A pattern that begins at the root would need a search of the whole disk before each command. */
function wholeDiskGlob({ files }: ResolvedPolicy): SandboxRefused | undefined {
  const globs = files.kind === 'restricted' ? files.denyGlobs : [];
  const glob = globs.find((each) => staticFolderOf(each) === '/');
  return glob === undefined ? undefined : unenforceable(coversWholeDisk(glob), '');
}
