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
/** In the order of the protocol. */
const isRequired: Readonly<Record<keyof GranularApproval['granular'], boolean>> = {
  sandbox_approval: true,
  rules: true,
  skill_approval: false,
  request_permissions: false,
  mcp_elicitations: true,
};
const flags = Object.keys(isRequired);
const requiredFlags = Object.entries(isRequired).flatMap(([flag, required]) => (required ? [flag] : []));
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
  const granular = Object.fromEntries(flags.map((flag) => [flag, given[flag] === true]));
  return { granular: granular as GranularApproval['granular'] };
}

/** Why a table is not a policy, worded to follow the key. */
export function granularFault(value: Readonly<Record<string, unknown>>): string {
  const given = onlyMember(value, 'granular');
  if (given === undefined) return `must be ${granularForm}`;
  const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
  const unknown = Object.keys(given).filter((key) => !flags.includes(key));
  const missing = requiredFlags.filter((flag) => given[flag] === undefined);
  const wrong = flags.filter((flag) => given[flag] !== undefined && typeof given[flag] !== 'boolean');
  const faults = { 'has no flag': unknown, lacks: missing, 'takes only true or false for': wrong };
  const found = Object.entries(faults).filter(([, names]) => names.length > 0);
  return found.map(([fault, names]) => `${fault} ${quoted(names)}`).join(', and ');
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

type ChosenApprover = { readonly approval: ApprovalPolicy; readonly reviewer?: ApprovalsReviewer };

/** True if anyone answers questions: the user on a surface that asks, or a reviewer. `allowsAsking` says which ones. */
export const canBeAsked = ({ canAsk }: { readonly canAsk?: true }, chosen: ChosenApprover): boolean =>
  canAsk === true || mayReviewerAnswer(chosen);

/** True if a reviewer may answer: `untrusted` requires the user's own consent, and under `never` nothing is asked. */
export const mayReviewerAnswer = ({ approval, reviewer }: ChosenApprover): boolean =>
  reviewer === 'auto_review' && approval !== 'never' && approval !== 'untrusted';
