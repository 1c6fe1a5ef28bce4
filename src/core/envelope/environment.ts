import { describePolicy, networkWord } from '../policy/profiles/describe-policy.ts';
import { isWithin } from '../policy/paths/absolute-paths.ts';
import type { Envelope } from './envelope.ts';
import { allowsAsking, approvalName } from '../policy/decide/approval-policy.ts';
import { withGrantedNetwork } from '../policy/grants/granted-policy.ts';
import type { StepFacts } from './facts.ts';

/** Place, time and limits of the model's work: one value for its text, for clients and for comparing. */
export interface TurnEnvironment {
  readonly cwd: string;
  readonly shell: string;
  readonly date: string;
  readonly timezone: string;
  readonly approvalPolicy: string;
  readonly sandboxMode: string;
  readonly networkAccess: string;
  readonly writableRoots: readonly string[];
  /** Empty when the working folder is the only one. */
  readonly workspaceRoots: readonly string[];
  readonly deniedPaths: readonly string[];
  readonly reopenedPaths: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
}

/** Takes the step's facts, which may have changed since the turn began. */
export function resolveEnvironment(
  { workspace, policy }: Envelope,
  { date, granted }: Pick<StepFacts, 'date' | 'granted'>,
): TurnEnvironment {
  const { cwd, shell, timezone, roots } = workspace;
  const now = withGrantedNetwork(policy.resolved, granted);
  const described = describePolicy(now, cwd);
  const { mode, writableRoots, readablePaths, deniedPaths, deniedGlobs } = described;
  const isReopened = (path: string): boolean => deniedPaths.some((denied) => isWithin(path, denied));
  // The lists include saved rules. Without lists, saved rules do not decide.
  const isProxied = policy.networkProxy === 'lists' || now !== policy.resolved;
  const lists = isProxied ? described.lists : undefined;
  const isAsked = policy.canAsk === true && allowsAsking(policy.approval, 'rules');
  return {
    cwd,
    shell: shell.name,
    date,
    timezone,
    approvalPolicy: approvalName(policy.approval),
    sandboxMode: mode,
    networkAccess: networkWord(described),
    writableRoots: mode === 'danger-full-access' ? ['/'] : writableRoots,
    workspaceRoots: roots.length === 1 && roots[0] === cwd ? [] : roots,
    deniedPaths: [...new Set([...deniedPaths, ...deniedGlobs])].toSorted(),
    reopenedPaths: [...new Set([...writableRoots, ...readablePaths].filter(isReopened))].toSorted(),
    // Denied hosts are not open, nor are those that a rule asks about before an answer.
    allowedDomains: lists?.allow.filter((host) => ![...(lists.ask ?? []), ...lists.deny].includes(host)) ?? [],
    // A question that reaches no one counts as denied.
    deniedDomains: [...(lists?.deny ?? []), ...(isAsked ? [] : (lists?.ask ?? []))],
  };
}
