import type { PathRule, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { compareByDepth, isWithin } from '../paths/absolute-paths.ts';
import { accessByRules, networkReach, type RestrictedFiles, writablePaths } from '../paths/access.ts';
import { protectedNames } from '../paths/special-places.ts';

/** `isGuard`: true if the rule protects a name or a repository, and no entry of the user chose it. */
type RuleOrigins = { isGuard(rule: PathRule): boolean; isTemporary(path: string): boolean };

/**
 * Fits files to Landlock, which cannot close anything inside an open folder. As the user agreed, writable folders lose
 * the protection of programs that run later (`.git` and the like). Paths that the user or engine protects stay
 * protected: a temporary folder with one is not writable; in any other folder, one is an obstacle.
 */
export function fitToLandlock(files: RestrictedFiles, { isGuard, isTemporary }: RuleOrigins) {
  const { rules, guards = [] } = files;
  const isInWritable = (path: string): boolean =>
    rules.some((rule) => rule.access === 'write' && rule.path !== path && isWithin(path, rule.path));
  const isLost = (rule: PathRule): boolean =>
    rule.access === 'read' && rule.own !== true && isGuard(rule) && isInWritable(rule.path);
  const kept = rules.filter((rule) => !isLost(rule)).map(({ keeps: _keeps, ...rule }): PathRule => rule);
  const closedRoots = [...new Set(kept.filter(({ access }) => access === 'write').map(({ path }) => path))]
    .filter((path) => isTemporary(path) && narrowerInside(kept, path) !== undefined)
    .toSorted();
  const fitted = kept.map((rule): PathRule => {
    const isClosed = rule.access === 'write' && closedRoots.includes(rule.path);
    return isClosed ? { path: rule.path, access: 'read', ifMissing: 'skip' } : rule;
  });
  const isOpen = (path: string): boolean => accessByRules(fitted, path) === 'write';
  return {
    files: { ...files, rules: fitted, ...(files.guards && { guards: guards.filter(({ own }) => own === true) }) },
    limits: {
      unprotected: [...new Set(rules.filter(isLost).map(({ path }) => path))].filter(isOpen).toSorted(compareByDepth),
      unprotectedNames: [...new Set(rules.flatMap(({ path, keeps = [] }) => (isOpen(path) ? keeps : [])))].toSorted(),
      closedRoots,
    },
  };
}

/** Why Landlock cannot enforce a policy fitted to it, as the end of a sentence, and what would help. */
export function landlockObstacle(policy: ResolvedPolicy): { readonly why: string; readonly next: string } | undefined {
  const { files, sockets = [] } = policy;
  if (networkReach(policy) === 'listed') {
    const why = 'it has no network of its own in which only the proxy for listed hosts could be reached';
    return { why, next: 'Use bubblewrap on a machine that can create namespaces.' };
  }
  if (policy.network === 'restricted' && sockets.length > 0)
    return { why: 'it cannot open the listed sockets and no others', next: 'Remove the sockets from the profile.' };
  if (files.kind === 'unrestricted') return undefined;
  for (const root of writablePaths(policy)) {
    const inner = narrowerInside(files.rules, root);
    if (inner === undefined) continue;
    const kept = inner.access === 'deny' ? 'hide' : 'keep read-only';
    const whose = inner.own === true ? ', which Capstan keeps for itself,' : '';
    return {
      why: `it cannot ${kept} ${JSON.stringify(inner.path)}${whose} inside the writable folder ${JSON.stringify(root)}`,
      next: 'Work in a folder that does not hold it, or make a smaller folder writable.',
    };
  }
  return undefined;
}

const familiarNames = ['.git', '.codex', '.capstan'].filter((name) => protectedNames.includes(name));
const shownNames = [...new Set([...familiarNames, ...protectedNames])];

export const landlockLeavesOpen = {
  settings: `${shownNames.slice(0, -1).join(', ')} and ${shownNames.at(-1)} inside writable folders`,
  modes: 'modes and times of your files outside the writable folders',
  background: 'Programs that a command leaves in the background may go on after it',
} as const;

export function landlockLosses({ files, network, landlock }: ResolvedPolicy): readonly string[] {
  if (landlock === undefined) return [];
  const { unprotected, unprotectedNames, closedRoots } = landlock;
  const { rules, denyGlobs } = files.kind === 'restricted' ? files : { rules: [], denyGlobs: [] };
  const writes = files.kind === 'unrestricted' || rules.some(({ access }) => access === 'write');
  const hides = denyGlobs.length > 0 || rules.some(({ access }) => access === 'deny');
  const names = unprotectedNames.map((name) => `${name} at any depth`);
  const open = [...unprotected.map((path) => JSON.stringify(path)), ...names];
  const losses = [
    open.length > 0 &&
      `Commands and patches can change what is otherwise read-only inside writable folders: ${listed(open)}. Later runs ignore a project's configuration that changed, until you agree to it.`,
    writes && `Commands can change ${landlockLeavesOpen.modes}.`,
    closedRoots.length > 0 &&
      `These temporary folders are not writable, because they hold files that must be kept: ${closedRoots.join(', ')}.`,
    hides &&
      'A file that appears beside a hidden one while a command runs cannot be read by that command. Folders above a hidden folder cannot be listed; those of Capstan can, and so can the names in them. Sizes and times of hidden files can be asked for by name, and a command can watch a hidden folder for names that come and go.',
    network === 'restricted' && 'Commands cannot start servers, not even for themselves.',
    'Commands see which processes run outside, with their command lines and the numbers of their open files.',
    `${landlockLeavesOpen.background}.`,
  ];
  return losses.filter((loss) => loss !== false);
}

function listed(all: readonly string[]): string {
  const most = 12;
  const more = all.length > most ? ` and ${all.length - most} more` : '';
  return `${all.slice(0, most).join(', ')}${more}`;
}

/** The uppermost path below the writable folder, or below its link targets, to which the rules give less access. */
function narrowerInside(rules: readonly PathRule[], root: string): PathRule | undefined {
  const roots = [root, ...rules.flatMap(({ path, place }) => (path === root && place !== undefined ? [place] : []))];
  const inside = rules.filter(({ path }) => roots.some((each) => path !== each && isWithin(path, each)));
  return inside
    .filter(({ path, access }) => access !== 'write' && accessByRules(rules, path) === access)
    .toSorted((a, b) => compareByDepth(a.path, b.path))[0];
}

/**
 * Two hard limits that mean nothing to commands: bytes in message queues, and microseconds under a realtime schedule.
 * The helper lowers them before it becomes a command under Landlock, so that engines recognise this process and all
 * that it starts, whatever these do later.
 */
export type ProcessMarkLimits = Readonly<Record<'queues' | 'time', number>>;
const mostMark = 65_536;
const limitSum = 2 ** 40;
/** `mark`: the number of a home, from 1 to 65,536; 0 if the home is missing. */
export const processMarkLimits = (mark: number): ProcessMarkLimits => ({ queues: mark, time: limitSum - mark });

/** True if Landlock may confine the process for this home. Limits only fall: a smaller sum may be from any home. */
export function mayHaveProcessMark({ queues, time }: ProcessMarkLimits, mark: number): boolean {
  const isOfOther = queues + time === limitSum && ![0, mark].includes(queues);
  return queues <= mostMark && time <= limitSum && !isOfOther;
}
