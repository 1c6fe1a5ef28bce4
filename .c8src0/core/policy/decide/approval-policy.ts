import { isJsonObject, objectAt } from '../../../protocol/json.ts';
import type { ApprovalPolicy, GranularApproval } from '../../../protocol/permissions.ts';
import type { ApprovalsReviewer } from '../../../protocol/question.ts';

export const approvalNames = ['untrusted', 'on-request', 'never'] as const;
export const approvalName = (approval: ApprovalPolicy): string =>
  typeof approval === 'string' ? approval : 'granular';
export type QuestionTopic = 'sandbox' | 'rules' | 'permissions' | 'mcp';

export const allowsAsking = (approval: ApprovalPolicy, about: QuestionTopic): boolean =>
  typeof approval === 'string' ? approval !== 'never' : approval.granular[flagsOfTopics[about]];

const flagsOfTopics = {
  sandbox: 'sandbox_approval',
  rules: 'rules',
  permissions: 'request_permissions',
  mcp: 'mcp_elicitations',
} as const satisfies Readonly<Record<QuestionTopic, keyof GranularApproval['granular']>>;

export const allowsSomeQuestion = (approval: ApprovalPolicy): boolean =>
  (['sandbox', 'rules', 'permissions'] as const).some((about) => allowsAsking(approval, about));
const requiredFlags = ['sandbox_approval', 'rules', 'mcp_elicitations'] as const;
const otherFlags = ['skill_approval', 'request_permissions'] as const;
const flags: readonly string[] = [...requiredFlags, ...otherFlags];
/** The required form of the granular table, worded to follow "must be". */
export const granularForm = `{ granular = { ${requiredFlags.map((flag) => `${flag} = true|false`).join(', ')} } }`;

/** The policy named by a file, rollout or program; undefined if it is none. Omitted flags are off. */
export function readApprovalPolicy(value: unknown): ApprovalPolicy | undefined {
  if (value === 'on-failure') return 'on-request';
  if (typeof value === 'string') return approvalNames.find((name) => name === value);
  const given = onlyMember(value, 'granular');
  if (given === undefined || Object.keys(given).some((key) => !flags.includes(key))) return undefined;
  const isFlag = (value: unknown): boolean => typeof value === 'boolean';
  if (!requiredFlags.every((flag) => isFlag(given[flag])) || !Object.values(given).every(isFlag)) return undefined;
  const on = (flag: string): boolean => given[flag] === true;
  return {
    granular: {
      sandbox_approval: on('sandbox_approval'),
      rules: on('rules'),
      skill_approval: on('skill_approval'),
      request_permissions: on('request_permissions'),
      mcp_elicitations: on('mcp_elicitations'),
    },
  };
}

/** Why a table is not a policy, worded to follow the key. */
export function granularFault(value: Readonly<Record<string, unknown>>): string {
  const given = onlyMember(value, 'granular');
  if (given === undefined) return `must be ${granularForm}`;
  const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
  const unknown = Object.keys(given).filter((key) => !flags.includes(key));
  const missing = requiredFlags.filter((flag) => given[flag] === undefined);
  const wrong = flags.filter((flag) => given[flag] !== undefined && typeof given[flag] !== 'boolean');
  const faults = [
    ...(unknown.length === 0 ? [] : [`has no flag ${quoted(unknown)}`]),
    ...(missing.length === 0 ? [] : [`lacks ${quoted(missing)}`]),
    ...(wrong.length === 0 ? [] : [`takes only true or false for ${quoted(wrong)}`]),
  ];
  return faults.join(', and ');
}

export const isSameApproval = (a: ApprovalPolicy, b: ApprovalPolicy): boolean =>
  typeof a === 'string' || typeof b === 'string' ? a === b : asksNoMoreThan(a, b) && asksNoMoreThan(b, a);

/** True if `b` allows every question that `a` allows. */
export function asksNoMoreThan(a: GranularApproval, b: GranularApproval): boolean {
  const allowed = Object.entries(a.granular).filter(([, on]) => on);
  return allowed.every(([flag]) => b.granular[flag as keyof GranularApproval['granular']]);
}

const onlyMember = (value: unknown, name: string): Readonly<Record<string, unknown>> | undefined =>
  isJsonObject(value) && Object.keys(value).join() === name ? objectAt(value, name) : undefined;

/** True if anyone answers questions: the user on a surface that asks, or a reviewer. `allowsAsking` says which ones. */
export const canBeAsked = (
  { canAsk }: { readonly canAsk?: true },
  chosen: Parameters<typeof mayReviewerAnswer>[0],
): boolean => canAsk === true || mayReviewerAnswer(chosen);

/** True if a reviewer may answer: `untrusted` requires the user's own consent, and under `never` nothing is asked. */
export function mayReviewerAnswer({
  approval,
  reviewer = 'user',
}: {
  readonly approval: ApprovalPolicy;
  readonly reviewer?: ApprovalsReviewer;
}): boolean {
  return reviewer === 'auto_review' && approval !== 'never' && approval !== 'untrusted';
}
