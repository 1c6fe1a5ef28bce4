import type { ApprovalPolicy } from '../../../protocol/permissions.ts';
import { reviewerSentence } from '../../fragments/approval-review.ts';
import { defineFragment } from '../../fragments/text/define-fragment.ts';
import { quote } from '../../fragments/text/escape-markup.ts';
import { type BoundedList, boundedList, dashedLines } from '../../fragments/text/truncate.ts';
import type { QuestionTopic } from '../../policy/decide/approval-policy.ts';
import { allowsAsking, allowsSomeQuestion, approvalName } from '../../policy/decide/approval-policy.ts';
import type { PolicyDescription } from '../../policy/profiles/describe-policy.ts';
import { isUnsandboxed } from '../../policy/profiles/profile-entries.ts';

export interface ApprovalFacts {
  readonly mode: PolicyDescription['mode'];
  readonly network: PolicyDescription['network'];
  readonly approval: ApprovalPolicy;
  readonly canAsk: boolean;
  /** A reviewer answers in the user's place. */
  readonly reviewed?: true;
  readonly hasServers?: true;
  /** The user cannot save a rule with an answer. */
  readonly answersOnce?: true;
  /** The turn makes a plan: nothing may be written, and there is no patch tool. */
  readonly plans?: true;
}

export function approvalLines(told: ApprovalFacts): readonly string[] {
  const reviewed = told.canAsk && told.reviewed ? ` ${reviewerSentence()}` : '';
  const first = `Approval: ${approvalName(told.approval)}. ${whenAsked(told)}${reviewed}`;
  const servers = told.hasServers === true ? [aboutServers(told)] : [];
  if (!explainsScripts(told)) return [first, ...servers];
  const asks = (about: QuestionTopic): boolean => allowsAsking(told.approval, about);
  return [
    first,
    ...(asks('sandbox') ? [...howToAsk(told), ...(told.answersOnce ? [] : [prefixRule])] : []),
    ...(asks('permissions') ? [requests] : []),
    howScriptsAreRead,
    ...servers,
  ];
}

function aboutServers(told: ApprovalFacts): string {
  const where = 'Tools of MCP servers act outside the sandbox.';
  if (told.approval === 'never' && !isLimited(told)) return `${where} They run without a question.`;
  if (questionReachesUser(told, 'mcp')) return `${where} Before a call that may change something, the user is asked.`;
  return `${where} The user cannot be asked about their calls, so those that need an approval are refused.`;
}

export const questionReachesUser = ({ approval, canAsk }: ApprovalFacts, about: QuestionTopic): boolean =>
  canAsk && allowsAsking(approval, about);
export const explainsScripts = (told: ApprovalFacts): boolean => told.canAsk && isLimited(told);
const isLimited = ({ mode }: ApprovalFacts): boolean => mode === 'read-only' || mode === 'workspace-write';

function whenAsked(told: ApprovalFacts): string {
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

type Categories = Readonly<Partial<Record<QuestionTopic, string>>>;

const categories = {
  sandbox: 'running outside the sandbox or with more than it grants, and commands that destroy',
  rules: 'commands and hosts that a rule asks about',
  permissions: 'request_permissions',
} as const satisfies Categories;

/** Without our own sandbox there is nothing to leave or to request. */
const unsandboxedCategories: Categories = {
  sandbox: 'commands that remove files by force or destroy what may not come back',
  rules: 'commands that a rule asks about',
};

function withoutUser({ mode, approval }: ApprovalFacts): string {
  if (mode === 'danger-full-access' && approval !== 'untrusted') return unsandboxed;
  if (typeof approval !== 'string') return stopped(allowsSomeQuestion(approval) ? 'yet' : '');
  switch (approval) {
    case 'never':
      return stopped('');
    // No surface of this turn asks the user, so the model must not rely on questions.
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

function howToAsk({ approval, network, mode, plans }: ApprovalFacts): readonly string[] {
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
/** The first words of a permanently approved command. */
export type CommandPrefix = readonly string[];
/** The place where a script of only approved commands runs. `anywhere`: there is no sandbox. */
export type ApprovedCommandsPlace = 'outside' | 'confined' | 'anywhere';

export interface AddedPrefixes {
  readonly added: readonly CommandPrefix[];
  readonly where: ApprovedCommandsPlace;
  readonly explained: boolean;
}

/** This text only adds prefixes. If one is removed, Capstan sends all permissions again. */
export const approvedPrefixesFragment = defineFragment<AddedPrefixes>({
  id: 'approved-prefixes',
  purpose: 'Command prefixes that the user approved permanently since `permissions` was sent.',
  markers: ['<approved_command_prefixes>', '</approved_command_prefixes>'],
  capTokens: 1700,
  section: 'permissions',
  matches: (text) =>
    /^\s*<approved_command_prefixes>[\s\S]*<\/approved_command_prefixes>\s*$/i.test(text) ||
    /^\s*Approved command prefix saved:/i.test(text),
  body: ({ added, where, explained }) =>
    `\n${[
      ...(explained ? [howScriptsAreRead] : []),
      `${approvedTitle[where]}, or with one listed earlier:`,
      ...dashedLines(listPrefixes(added)),
    ].join('\n')}\n`,
});

const whereUnchanged =
  'Where sandboxed commands can change neither the programs that a script starts nor its git repository, it runs';
const unlessTyped = 'without a question, unless stdin or tty is set,';
const ifAllowed = 'if each of its commands begins with one of these';

/** A list's title, up to where words about other lists may follow. */
export const approvedTitle: Readonly<Record<ApprovedCommandsPlace, string>> = {
  outside: `${whereUnchanged} outside the sandbox, ${unlessTyped} ${ifAllowed}`,
  confined: `${whereUnchanged} in a sandbox that only denies what is not readable, ${unlessTyped} ${ifAllowed}`,
  anywhere: `A script is neither asked about nor refused, even if it destroys, ${ifAllowed}`,
};

/** Must agree with decisions about calls: if paths are unreadable, even approved scripts stay in a wide sandbox. */
export function placeOfApprovedCommands({ mode, deniedPaths, deniedGlobs }: PolicyDescription): ApprovedCommandsPlace {
  if (isUnsandboxed(mode)) return 'anywhere';
  return deniedPaths.length + deniedGlobs.length === 0 ? 'outside' : 'confined';
}

/** Must match the parser. */
export const howScriptsAreRead =
  'How a script is read: it is split into commands at &&, ||, ;, |, & and newlines, also within ( ) and { }. If it has more than plain words in it, such as a variable, an assignment, a wildcard, a substitution, output to a file, a loop, a heredoc, xargs or find -exec, the whole script counts as one command that begins with the shell: rules that allow a command in it do not allow the script, and rules that refuse or ask still find theirs. Assignments such as CI=1, NODE_ENV=test or LANG=C before a command are ignored.';

/** Without duplicates, short ones first, so that a long list omits the most specific. */
export function listPrefixes(prefixes: readonly CommandPrefix[]): BoundedList {
  const sorted = prefixes.toSorted(
    (a, b) => a.length - b.length || letters(a) - letters(b) || compare(a.join('\0'), b.join('\0')),
  );
  const lines = sorted.map((prefix) => `[${prefix.map(quote).join(', ')}]`);
  return boundedList([...new Set(lines)], { count: 100, characters: 5000 });
}

const letters = (prefix: CommandPrefix): number => prefix.reduce((sum, token) => sum + token.length, 0);
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
