import type { ApprovalPolicy, GranularApproval } from '../../../protocol/permissions.ts';
import type { ApprovalsReviewer } from '../../../protocol/question.ts';

/** The policies that have a name of their own. */
export const approvalNames = ['untrusted', 'on-request', 'never'] as const;

/** The policy in one word. */
export function approvalName(approval: ApprovalPolicy): string {
  return typeof approval === 'string' ? approval : 'granular';
}

/** What a question is about, as far as a policy tells questions apart. */
export type QuestionTopic = 'sandbox' | 'rules' | 'permissions' | 'mcp';

/** Whether the policy lets such a question be asked at all. */
export function allowsAsking(approval: ApprovalPolicy, about: QuestionTopic): boolean {
  if (typeof approval === 'string') return approval !== 'never';
  const {
    sandbox_approval: sandbox,
    rules,
    request_permissions: permissions,
    mcp_elicitations: mcp,
  } = approval.granular;
  return { sandbox, rules, permissions, mcp }[about];
}

export function allowsSomeQuestion(approval: ApprovalPolicy): boolean {
  return (['sandbox', 'rules', 'permissions'] as const).some((about) => allowsAsking(approval, about));
}

const requiredFlags = ['sandbox_approval', 'rules', 'mcp_elicitations'] as const;
const otherFlags = ['skill_approval', 'request_permissions'] as const;
const flags: readonly string[] = [...requiredFlags, ...otherFlags];

/** What a table of the granular form must be, as the rest of a sentence that begins with "must be". */
export const granularForm = `{ granular = { ${requiredFlags.map((flag) => `${flag} = true|false`).join(', ')} } }`;

/** The policy that a file, a rollout or a program names; undefined when it is none. Flags that may be left out are off. */
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

/** What is wrong with a table that is no policy, as the rest of a sentence that begins with the key. */
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

export function isSameApproval(a: ApprovalPolicy, b: ApprovalPolicy): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  return asksNoMoreThan(a, b) && asksNoMoreThan(b, a);
}

/** Whether every question that the first allows is one that the second allows. */
export function asksNoMoreThan(a: GranularApproval, b: GranularApproval): boolean {
  const allowed = Object.entries(a.granular).filter(([, on]) => on);
  return allowed.every(([flag]) => b.granular[flag as keyof GranularApproval['granular']]);
}

function onlyMember(value: unknown, name: string): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== name) return undefined;
  const member: unknown = (value as Readonly<Record<string, unknown>>)[name];
  return typeof member === 'object' && member !== null && !Array.isArray(member)
    ? (member as Readonly<Record<string, unknown>>)
    : undefined;
}

/**
 * Whether questions are answered at all: by the user where a surface asks (`canAsk`), or by a reviewer. Which of them the
 * approval policy lets be asked is said by `allowsAsking`.
 */
export function canBeAsked({ canAsk }: { readonly canAsk?: true }, chosen: Parameters<typeof isReviewed>[0]): boolean {
  return canAsk === true || isReviewed(chosen);
}

/** Where a reviewer may answer: `untrusted` wants the user's own consent, and under `never` nothing is asked. */
export function isReviewed({
  approval,
  reviewer = 'user',
}: {
  readonly approval: ApprovalPolicy;
  readonly reviewer?: ApprovalsReviewer;
}): boolean {
  return reviewer === 'auto_review' && approval !== 'never' && approval !== 'untrusted';
}
