import { landlockLeavesOpen } from '../../../../core/policy/profiles/landlock-policy.ts';
import type { Engine } from '../../../../engine/engine.ts';
import type { FolderTrust } from '../../../../engine/home/folder-trust.ts';
import type { ConfiguredHook } from '../../../../engine/home/user-hooks.ts';
import { outcomeText, type Outcome } from '../../../../protocol/outcome.ts';
import { unambiguousLine } from '../../../views/terminal/exact-text.ts';
import { visibleLine } from '../../../views/terminal/visible-text.ts';
import { listMargin } from '../../pages/list-parts.ts';
import { drawRows } from '../../screen/text/draw-row.ts';
import type { Look } from '../../screen/text/look.ts';
import { boldStyle, dimStyle, type Row, styled } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import type { StartupQuestionDesk } from './startup-question-desk.ts';
import type { StartupQuestion } from './startup-question-views.ts';
import type { StartupQuestionParts } from './startup-questions.ts';

/** True if there is something to decide: if trust changes nothing, the user is not asked. */
export const needsTrust = ({ trust, parts, decidesSandbox, isUndecidable }: FolderTrust): boolean =>
  trust === 'unknown' && isUndecidable === undefined && (parts.length > 0 || decidesSandbox);

/** `decided`: the engine must be loaded again to apply the decision. */
type Decision = 'decided' | 'open' | 'left';

/** Asks until the answer was carried out. Esc and the last choice leave the question open. */
async function decide(
  desk: StartupQuestionDesk,
  question: StartupQuestion,
  take: (chosen: number) => Promise<Outcome | 'ask again' | undefined>,
): Promise<Decision> {
  let problem: string | undefined;
  for (;;) {
    const chosen = await desk.ask({ ...question, problem });
    if (chosen === 'left') return 'left';
    if (chosen === 'back' || chosen === question.choices.length - 1) return 'open';
    const failed = await take(chosen);
    if (failed === undefined) return 'decided';
    if (failed !== 'ask again') problem = outcomeText(failed);
  }
}

export function askForTrust(desk: StartupQuestionDesk, engine: Engine, about: FolderTrust): Promise<Decision> {
  const { root, decidesSandbox, changed } = about;
  const without = decidesSandbox ? 'commands only read, and Capstan asks before most of them' : '';
  const question: StartupQuestion = {
    title: `Do you ${changed === undefined ? '' : 'still '}trust the project in ${visibleLine(root)}?`,
    text: whatItChanges(about),
    choices: [
      { label: 'Yes', allows: true },
      { label: 'No, go on without them', about: without },
      { label: 'Not now', about: 'not saved: Capstan asks again at the next start' },
    ],
  };
  return decide(desk, question, (chosen) => engine.trust.decideFolder(about, chosen === 0 ? 'trusted' : 'untrusted'));
}

const partWords = { config: 'configuration', hooks: 'hooks', rules: 'rules', skills: 'skills', agents: 'agents' };

function whatItChanges({ parts, wishes, root, file, decidesSandbox, changed }: FolderTrust): readonly string[] {
  const inRoot = (path: string): string => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
  const listed = parts.map(({ kind, path }) => `${partWords[kind]} (${visibleLine(inRoot(path))})`);
  const found = parts.length === 0 ? '' : `It brings ${listed.join(', ')}. `;
  const isSet = wishes.some(({ key }) => ['sandbox_mode', 'default_permissions', 'permissions'].includes(key));
  const writes = decidesSandbox && !isSet ? ' Commands may then also change files of the project.' : '';
  const why = `You trusted this project. Since then commands ran under Landlock, which cannot protect its configuration, and ${visibleLine(inRoot(changed ?? ''))} is not what it was.`;
  return [
    ...(changed === undefined ? [] : [why]),
    `${found}If you trust it, Capstan uses the configuration, hooks, rules, skills, agents and MCP servers of the project. Hooks and MCP servers are programs that run by themselves.${writes}`,
    ...wishWords(wishes),
    'Say yes only if you know who wrote it: texts in a project can also mislead the model.',
    `Yes and no are saved for ${visibleLine(root)} in ${visibleLine(file)}.`,
  ];
}

/** Lists the settings of the project's file that a yes applies, programs first, and warns of wide permissions. */
function wishWords(wishes: FolderTrust['wishes']): readonly string[] {
  if (wishes.length === 0) return [];
  const has = (key: string, value: string): boolean => wishes.some((wish) => wish.key === key && wish.value === value);
  const listed = (isWanted: (wish: FolderTrust['wishes'][number]) => boolean): readonly string[] =>
    wishes.filter(isWanted).map(({ key, value }) => `- ${visibleLine(`${key} = ${value}`)}`);
  const programs = listed(({ isProgram }) => isProgram === true);
  const others = listed(({ isProgram }) => isProgram !== true);
  const isFull = has('sandbox_mode', '"danger-full-access"') || has('default_permissions', '":danger-full-access"');
  return [
    ...(programs.length === 0 ? [] : ['Programs that then run by themselves:', ...programs]),
    ...(others.length === 0 ? [] : ['Its configuration also sets:', ...others]),
    ...(isFull ? ['Commands then have full access to this machine, without the sandbox.'] : []),
    ...(has('approval_policy', '"never"') ? ['Capstan does not ask before commands then.'] : []),
  ];
}

export async function askAboutConfig(
  desk: StartupQuestionDesk,
  problem: Outcome,
): Promise<'again' | 'without' | 'left'> {
  const chosen = await desk.ask({
    title: 'Your configuration cannot be used.',
    problem: outcomeText(problem),
    choices: [
      { label: 'Start with the defaults', about: 'this time; your file stays as it is' },
      { label: 'Read it again', about: 'after you have corrected it' },
      { label: 'Leave' },
    ],
  });
  if (chosen === 0) return 'without';
  return chosen === 1 ? 'again' : 'left';
}

type HooksGateParts = Pick<StartupQuestionParts, 'desk' | 'showRows'> & { readonly engine: Engine };

/** New or changed hooks run only with the user's consent. */
export function askForHooks({ desk, engine, showRows }: HooksGateParts, hooks: readonly ConfiguredHook[]) {
  const changed = hooks.filter(({ trust }) => trust === 'modified').length;
  const isOne = hooks.length === 1;
  const count = isOne ? 'One hook waits' : `${hooks.length} hooks wait`;
  const them = isOne ? 'it' : 'them';
  const question: StartupQuestion = {
    title: `${count} for your decision.`,
    text: [
      `Hooks are programs that Capstan runs by itself, outside the sandbox. ${changed === 0 ? `You have not decided about ${isOne ? 'this one' : 'these'}.` : `${changed} changed since you trusted ${changed === 1 ? 'it' : 'them'}.`}`,
    ],
    choices: [
      { label: `Show ${them}`, about: hooks.map(({ command }) => beginning(unambiguousLine(command))).join(' | ') },
      { label: `Trust ${them}`, about: `as ${isOne ? 'it is' : 'they are'} now; saved`, allows: true },
      { label: `Go on without ${them}`, about: `${isOne ? 'it does' : 'they do'} not run` },
    ],
  };
  return decide(desk, question, async (chosen) => {
    if (chosen === 1) return engine.trust.decideHooks(hooks, 'trust');
    await desk.aside(() => showRows('Hooks', (look) => hookRows(hooks, look)));
    return 'ask again';
  });
}

function beginning(text: string): string {
  const signs = [...text];
  return signs.length > 60 ? `${signs.slice(0, 59).join('')}…` : text;
}

function hookRows(hooks: readonly ConfiguredHook[], look: Look): readonly string[] {
  const rows = hooks.flatMap(({ event, matcher, command, trust, source, timeoutSeconds }): readonly Row[] => {
    const on = unambiguousLine(matcher === undefined ? event : `${event} ${matcher}`);
    const state = trust === 'modified' ? 'changed' : 'new';
    const line = (text: string, style = {}): readonly Row[] =>
      wrapRow([styled(text, style)], { width: look.width, first: listMargin });
    return [
      [styled(`${on} (${state})`, boldStyle)],
      ...line(unambiguousLine(command, 'words')),
      ...line(unambiguousLine(`from ${source.path}, ends after ${timeoutSeconds} s`), dimStyle),
      [],
    ];
  });
  return drawRows(rows, look);
}

/** Landlock restricts less than the usual sandbox, so using it needs the user's consent. */
export function askForLandlock(desk: StartupQuestionDesk, engine: Engine): Promise<Decision> {
  const question: StartupQuestion = {
    title: 'The sandbox for commands cannot be built here. Run commands under Landlock instead?',
    text: [
      'Bubblewrap is missing or cannot create namespaces, as in most containers. Without Landlock, Capstan refuses every command that needs a sandbox.',
      'Under Landlock commands write and read only what your permissions allow, and have no network unless you allowed it. What it does not protect:',
      `- ${landlockLeavesOpen.settings}: commands can change hooks and settings that other programs run later`,
      `- ${landlockLeavesOpen.modes}`,
      `${landlockLeavesOpen.background}.`,
      '`capstan sandbox explain -P :workspace` lists what is lost.',
    ],
    choices: [
      { label: 'Yes, until Capstan ends', allows: true },
      { label: 'Always', about: `saved in ${visibleLine(engine.home)}/config.toml`, allows: true },
      {
        label: 'No',
        about: 'commands that need a sandbox are refused; sandbox_fallback = "none" in config.toml keeps it so',
      },
    ],
  };
  return decide(desk, question, async (chosen) => (chosen === 1 ? engine.config.saveSandboxFallback() : undefined));
}
