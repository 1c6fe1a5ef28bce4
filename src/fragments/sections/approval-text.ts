import type { PolicyDescription } from '../../policy/describe-policy.ts';
import { allowsAsking, allowsSomeQuestion, approvalName, type AskedAbout } from '../../policy/approval-policy.ts';
import { howScriptsAreRead } from './approved-prefixes.ts';
import { reviewerSentence } from './reviewer-sentence.ts';
import type { ApprovalPolicy } from '../../protocol/permission-profile.ts';

/** When the user is asked in this turn. */
export interface ApprovalTold {
  readonly mode: PolicyDescription['mode'];
  readonly network: PolicyDescription['network'];
  readonly approval: ApprovalPolicy;
  /** A question would reach the user. */
  readonly canAsk: boolean;
  /** A reviewer answers in the user's place. */
  readonly reviewed?: true;
  /** There are MCP servers. */
  readonly hasServers?: true;
  /** What answers saves no rule. */
  readonly answersOnce?: true;
  /** The turn makes a plan: nothing is to be written, and there is no tool for patches. */
  readonly plans?: true;
}

/** What the model reads about questions: when they are asked, and how to ask one where a call may. */
export function approvalLines(told: ApprovalTold): readonly string[] {
  const reviewed = told.canAsk && told.reviewed ? ` ${reviewerSentence()}` : '';
  const first = `Approval: ${approvalName(told.approval)}. ${whenAsked(told)}${reviewed}`;
  const servers = told.hasServers === true ? [aboutServers(told)] : [];
  if (!explainsScripts(told)) return [first, ...servers];
  const asks = (about: AskedAbout): boolean => allowsAsking(told.approval, about);
  return [
    first,
    ...(asks('sandbox') ? [...howToAsk(told), ...(told.answersOnce ? [] : [prefixRule])] : []),
    ...(asks('permissions') ? [requests] : []),
    howScriptsAreRead,
    ...servers,
  ];
}

function aboutServers(told: ApprovalTold): string {
  const where = 'Tools of MCP servers act outside the sandbox.';
  if (told.approval === 'never' && !isLimited(told)) return `${where} They run without a question.`;
  if (asksAbout(told, 'mcp')) return `${where} Before a call that may change something, the user is asked.`;
  return `${where} The user cannot be asked about their calls, so those that need an approval are refused.`;
}

/** Whether such a question reaches the user in this turn. */
export function asksAbout({ approval, canAsk }: ApprovalTold, about: AskedAbout): boolean {
  return canAsk && allowsAsking(approval, about);
}

/** Whether these lines say how a script is read. */
export function explainsScripts(told: ApprovalTold): boolean {
  return told.canAsk && isLimited(told);
}

function isLimited({ mode }: ApprovalTold): boolean {
  return mode === 'read-only' || mode === 'workspace-write';
}

function whenAsked(told: ApprovalTold): string {
  const { approval, canAsk } = told;
  if (!canAsk) return withoutUser(told);
  if (approval === 'untrusted') {
    const where = isLimited(told) ? '; a yes lets it run inside the sandbox' : '';
    return `Commands that are known to change nothing run at once. Before any other command and before each patch the user is asked${where}.`;
  }
  if (typeof approval === 'string') return isLimited(told) ? `${unasked} ${destroying}` : destroying;
  return isLimited(told)
    ? [unasked, ...granularSentences(approval, categories)].join(' ')
    : granularSentences(approval, unsandboxedCategories).join(' ');
}

const unasked = 'What stays inside the sandbox runs without a question.';
const destroying =
  'Before a command that removes files by force or destroys what may not come back, the user is asked.';

function granularSentences(approval: ApprovalPolicy, of: Categories): readonly string[] {
  const abouts = ['sandbox', 'rules', 'permissions'] as const;
  const words = (asked: boolean): string =>
    abouts
      .filter((about) => allowsAsking(approval, about) === asked)
      .flatMap((about) => of[about] ?? [])
      .join('; ');
  const [asked, refused] = [words(true), words(false)];
  return [
    ...(asked === '' ? [] : [`The user is asked about: ${asked}.`]),
    ...(refused === '' ? [] : [`Refused without a question: ${refused}.`]),
  ];
}

type Categories = Readonly<Partial<Record<AskedAbout, string>>>;

const categories = {
  sandbox: 'running outside the sandbox or with more than it grants, and commands that destroy',
  rules: 'commands and hosts that a rule asks about',
  permissions: 'request_permissions',
} as const satisfies Categories;

/** Without a sandbox of ours there is nothing to leave, and nothing to request. */
const unsandboxedCategories: Categories = {
  sandbox: 'commands that remove files by force or destroy what may not come back',
  rules: 'commands that a rule asks about',
};

function withoutUser({ mode, approval }: ApprovalTold): string {
  if (mode === 'danger-full-access' && approval !== 'untrusted') return unsandboxed;
  if (typeof approval !== 'string') return stopped(allowsSomeQuestion(approval) ? 'yet' : '');
  switch (approval) {
    case 'never':
      return stopped('');
    // No surface of this turn puts a question to the user, and the model must not count on one.
    case 'on-request':
      return stopped('yet');
    case 'untrusted':
      return 'Each command and each patch needs the consent of the user, who cannot be asked yet. None can run: say what is needed.';
  }
}

function stopped(when: 'yet' | ''): string {
  const asked = `The user cannot be asked${when === '' ? '' : ` ${when}`}.`;
  return `${asked} A command that the sandbox stops stays stopped: find another way, or say what is missing. ${destroyed}`;
}

const destroyed = 'Commands that remove files by force or destroy what may not come back are refused.';
const unsandboxed = `The user cannot be asked, so take care with what cannot be taken back. ${destroyed}`;

function howToAsk({ approval, network, mode, plans }: ApprovalTold): readonly string[] {
  // Hosts that lists leave out are asked about while the command runs.
  const isClosed = network === 'restricted';
  const patches =
    approval === 'untrusted' || plans === true ? '' : ' A patch to files that commands cannot change asks by itself.';
  const causes = [
    ...(isClosed ? ['needs the network'] : []),
    ...(plans === true ? [] : [mode === 'read-only' ? 'writes files' : 'writes outside the writable roots']),
    'opens a window',
  ];
  return [
    `How to ask for more than the sandbox allows: call exec_command with \`sandbox_permissions\` set to "require_escalated" and with \`justification\`, one short question to the user, such as "${isClosed ? 'May I download the dependencies of this project?' : 'May I install this tool for the whole machine?'}". Where a folder${isClosed ? ' or the network' : ''} is all that is missing, set it to "with_additional_permissions" and name just that in \`additional_permissions\`. Ask in the call itself, not in a message.${patches}`,
    `When to ask: the task needs the command, and it failed because of the sandbox or cannot work inside it: it ${oneOf(causes)}. Try first if you are not sure: the user is then asked about the failure in the same call, if the output names the file.`,
  ];
}

function oneOf(causes: readonly string[]): string {
  const last = causes.at(-1) ?? '';
  if (causes.length < 2) return last;
  return `${causes.slice(0, -1).join(', ')}${causes.length > 2 ? ',' : ''} or ${last}`;
}

const prefixRule =
  '`prefix_rule` proposes a rule for commands that begin with the same words, such as ["npm", "install"], which the user may save. Keep it as narrow as the task allows. Propose none for interpreters, shells and programs that do anything (python, node, bash, git, env, sudo), for what destroys, or for a script with a heredoc.';

const requests = 'For several commands of the turn, ask once with request_permissions.';
