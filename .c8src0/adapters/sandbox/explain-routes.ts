import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { accessByRules, needsSandbox, networkReach, writablePaths } from '../../core/policy/paths/access.ts';
import { globBaseFolder } from '../../core/policy/paths/glob.ts';
import { temporaryFolders } from '../../core/policy/paths/special-places.ts';
import { landlockLosses } from '../../core/policy/profiles/landlock-policy.ts';
import type { SandboxRefused } from '../../ports/sandbox.ts';
import type { PathRule, ResolvedPolicy } from '../../protocol/permissions.ts';
import type { Bubblewrap } from './linux/bubblewrap.ts';
import { coversWholeDisk, protectGit } from './policy-on-disk.ts';
import { unenforceableRefusal } from './refusals.ts';
import { chooseSandboxRoute, leastLandlockAbi, type MachineFacts, type SandboxRoute } from './sandbox-route.ts';

export interface SandboxRouteExplanation {
  readonly system: 'bubblewrap' | 'landlock' | 'seatbelt' | 'windows-elevated' | 'windows-unelevated';
  /**
   * `limited`: enforced except for `losses`, once the user agrees. `unneeded`: the policy restricts nothing. `planned`:
   * Capstan can compute the limits of this system, and refuses the command because it cannot set them.
   */
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

/** How each system could enforce a policy, and how this Linux really does. `fitted`: the policy adapted to Landlock. */
export function explainSandboxRoutes(
  { whole: asked, fitted }: { readonly whole: ResolvedPolicy; readonly fitted: ResolvedPolicy },
  { cwd, temporary, problems }: ExplainedPlace,
): readonly SandboxRouteExplanation[] {
  const kept = protectGit(asked, []);
  const policy = 'kind' in kept ? asked : kept;
  const usualRoots = [cwd, ...temporaryFolders({ TMPDIR: temporary })];
  const onBubblewrap = explained(
    'bubblewrap',
    wholeDiskGlob(policy) ?? chooseSandboxRoute(linux, policy),
    'Mounts and namespaces of bubblewrap, and a system-call filter.',
  );
  return [
    here(problems.bubblewrap, onBubblewrap),
    here(problems.landlock, onLandlock(fitted)),
    explained(
      'seatbelt',
      chooseSandboxRoute(mac, policy),
      'A profile for /usr/bin/sandbox-exec. It is tested as text and has not been run on a Mac.',
    ),
    onWindows('elevated', policy, usualRoots),
    onWindows('unelevated', policy, usualRoots),
  ];
}

function explained(
  system: SandboxRouteExplanation['system'],
  route: SandboxRoute,
  enforced: string,
): SandboxRouteExplanation {
  if (route.kind === 'direct') return { system, verdict: 'unneeded', why: nothingRestricted };
  if (route.kind === 'refused') return { system, verdict: 'refused', why: route.message };
  return { system, verdict: 'enforced', why: enforced };
}

const nothingRestricted = 'The policy restricts nothing here, so commands run as they are.';

function here(problem: SandboxRefused | undefined, ideal: SandboxRouteExplanation): SandboxRouteExplanation {
  if (problem === undefined || !['enforced', 'limited'].includes(ideal.verdict)) return ideal;
  return { system: ideal.system, verdict: 'refused', why: `Not on this machine: ${problem.message}` };
}

function onLandlock(policy: ResolvedPolicy): SandboxRouteExplanation {
  const route = wholeDiskGlob(policy) ?? chooseSandboxRoute(landlock, policy);
  const enforced = `Landlock from version ${leastLandlockAbi} on (Linux 6.12), and system-call filters, where bubblewrap cannot be used and you agreed to it (--sandbox-fallback landlock).`;
  const explanation = explained('landlock', route, enforced);
  if (explanation.verdict !== 'enforced') return explanation;
  return { ...explanation, verdict: 'limited', losses: landlockLosses(policy) };
}

function onWindows(
  level: WindowsLevel,
  policy: ResolvedPolicy,
  usualRoots: readonly string[],
): SandboxRouteExplanation {
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
  const glob = globs.find((each) => globBaseFolder(each) === '/');
  return glob === undefined ? undefined : unenforceableRefusal(coversWholeDisk(glob), '');
}

/**
 * `elevated`: commands would run as a separate local account, set up by an administrator. `unelevated`: as the user,
 * with a restricted token. Neither exists yet, so every command is refused.
 */
export type WindowsLevel = 'elevated' | 'unelevated';

/**
 * How Windows could enforce the policy, or a sentence why it cannot. `usualRoots`: writable under workspace-write, that
 * is the working folder, configured roots and temporary folders.
 */
export function planWindows(level: WindowsLevel, policy: ResolvedPolicy, usualRoots: readonly string[]) {
  const { files, network, enforcement } = policy;
  if (enforcement !== 'managed' || files.kind === 'unrestricted')
    return 'A sandbox needs a policy that restricts files.';
  const { rules, denyGlobs } = files;
  const hidden = rules.filter(({ path, access }) => access === 'deny' && path !== '/');
  const denied = hidden.find(({ own }) => own !== true)?.path ?? denyGlobs[0];
  if (denied !== undefined) return `${JSON.stringify(denied)} is denied, and access lists cannot hide a path exactly.`;
  if (level === 'unelevated') {
    if (accessByRules(rules, '/') === 'deny') return 'A restricted token cannot limit what is read.';
    const secret = hidden.find(({ own }) => own === true)?.path;
    if (secret !== undefined) return `A restricted token cannot hide Capstan's secrets (${JSON.stringify(secret)}).`;
    if (networkReach(policy) === 'listed')
      return 'A restricted token cannot keep commands from going around the proxy.';
  }
  const written = writablePaths(policy);
  const reopened = written.find((path) => isReopened(path, rules));
  if (reopened !== undefined)
    return `${JSON.stringify(reopened)} is writable inside a read-only path, which access lists cannot express.`;
  const isUsual = written.length === 0 || new Set(written).symmetricDifference(new Set(usualRoots)).size === 0;
  if (level === 'unelevated' && !isUsual) return 'A restricted token can open only the roots of workspace-write.';
  // `blocked`: the account has firewall rules. `best-effort`: variables and stubs, which a program may ignore.
  const withoutNetwork = level === 'elevated' ? ('blocked' as const) : ('best-effort' as const);
  return { network: network === 'enabled' ? ('open' as const) : withoutNetwork };
}

/** True if the path is below a read-only folder that is itself inside a writable one. */
function isReopened(path: string, rules: readonly PathRule[]): boolean {
  const above = rules.filter((rule) => rule.path !== path && isWithin(path, rule.path) && rule.path !== '/');
  return above.some(
    (rule) =>
      rule.access !== 'write' && above.some((outer) => outer.access === 'write' && isWithin(rule.path, outer.path)),
  );
}
