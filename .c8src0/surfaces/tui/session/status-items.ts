import { basename } from 'node:path';
import type { Settings } from '../../../core/envelope/settings.ts';
import { approvalName } from '../../../core/policy/decide/approval-policy.ts';
import type { Goal } from '../../../protocol/thread.ts';
import { version } from '../../../protocol/version.ts';
import type { ThreadUsage } from '../../../engine/thread/context/window-use.ts';
import { goalStatusWords } from '../../views/wording/turn-lines.ts';
import { moneyWords } from '../../views/wording/cost-words.ts';
import { approximatePrefix, compactNumber, shownPath, usedWithEstimate } from '../screen/text/format-values.ts';
import type { Look } from '../screen/text/look.ts';
import { badStyle, dimStyle, type Style, warnStyle } from '../screen/text/style.ts';
import { sandboxLevel } from './permission-presets.ts';

export interface StatusFacts {
  /** Settings of the running turn, or else of the next one. */
  readonly settings: Settings;
  /** Settings chosen for the next turn, while the running turn has others. */
  readonly next: Settings | undefined;
  readonly usage: ThreadUsage;
  readonly threadId: string;
  readonly profileName: string | undefined;
  readonly host: string;
  readonly runState: 'Ready' | 'Working' | 'Waiting';
  readonly repository: string | undefined;
  readonly branch: string | undefined;
  readonly name: string | undefined;
  readonly firstWords: string | undefined;
  readonly tasks: { readonly done: number; readonly all: number } | undefined;
  readonly goal: Goal | undefined;
}

export interface StatusItem {
  readonly about: string;
  /** Text of the item, not cleaned yet. Undefined if there is nothing to show. */
  text(facts: StatusFacts, look: Look): string | undefined;
  /**
   * A shorter text for narrow screens. Items with one show what is running out, so the items after them are dropped
   * first.
   */
  short?(facts: StatusFacts): string;
  /** Absent: dim. */
  style?(facts: StatusFacts): Style;
}

const accent = (): Style => ({ colour: 'accent' });
const marker = (): Style => ({ colour: 'marker' });
const left = ({ usage }: StatusFacts): number => Math.round(usage.percentRemaining);

/** Items with this style keep their colours even if the other items have none. */
const leftStyle = (facts: StatusFacts): Style =>
  left(facts) <= 10 ? badStyle : left(facts) <= 30 ? warnStyle : dimStyle;

const tokens = (count: number, word: string): string | undefined =>
  count === 0 ? undefined : `${compactNumber(count)} ${word}`;

/** `gpt-5.5 (next: gpt-5.6-sol)`: the current value, and that of the next turn if it differs. */
export function withNext({ settings, next }: Pick<StatusFacts, 'settings' | 'next'>, words: (of: Settings) => string) {
  const [now, then] = [words(settings), next === undefined ? undefined : words(next)];
  return then === undefined || then === now ? now : `${now} (next: ${then})`;
}

/** `goal active, 40K of 50K tokens`. Nothing for a reached goal: the answer says so. */
function goalWords(goal: Goal | undefined): string | undefined {
  if (goal === undefined || goal.status === 'complete') return undefined;
  const { status, tokensUsed, tokenBudget } = goal;
  const most = tokenBudget === undefined ? '' : ` of ${compactNumber(tokenBudget)}`;
  return `${goalStatusWords(status)}, ${compactNumber(tokensUsed)}${most} tokens`;
}

/** Items by id, in display order. */
export const statusItems = {
  'model-with-reasoning': {
    about: 'the model and its effort',
    text: (facts) => withNext(facts, ({ model, effort }) => (effort === undefined ? model : `${model} ${effort}`)),
    style: accent,
  },
  model: { about: 'the model', text: (facts) => withNext(facts, ({ model }) => model), style: accent },
  reasoning: { about: 'the effort', text: (facts) => withNext(facts, ({ effort }) => effort ?? 'default') },
  provider: { about: 'who serves the model', text: (facts) => withNext(facts, ({ provider }) => provider) },
  'context-remaining': {
    about: 'how much of the context window is left',
    text: (facts) => `Context ${left(facts)}% left`,
    short: (facts) => `${left(facts)}% left`,
    style: leftStyle,
  },
  'context-used': {
    about: 'how much of the context window is used',
    text: (facts) => `Context ${100 - left(facts)}% used`,
    short: (facts) => `${100 - left(facts)}% used`,
    style: leftStyle,
  },
  'context-window-size': {
    about: 'the context window',
    text: ({ usage }) => `${compactNumber(usage.effectiveWindow)} window`,
  },
  permissions: {
    about: 'the permission profile or the sandbox, and when Capstan asks',
    text: (facts) => withNext(facts, (of) => `${facts.profileName ?? sandboxLevel(of)}, ${approvalName(of.approvals)}`),
  },
  'approval-mode': {
    about: 'when Capstan asks',
    text: (facts) => withNext(facts, ({ approvals: approval }) => approvalName(approval)),
  },
  'current-dir': { about: 'the folder', text: ({ settings }, look) => shownPath(settings.cwd, { ...look, cwd: '' }) },
  'project-name': {
    about: 'the name of the repository, or of the folder',
    text: ({ repository, settings }) => basename(repository ?? settings.cwd),
  },
  hostname: { about: 'the name of the machine', text: ({ host }) => host },
  'git-branch': { about: 'the branch of git', text: ({ branch }) => branch, style: marker },
  'run-state': { about: 'Ready, Working or Waiting', text: ({ runState }) => runState },
  'used-tokens': {
    about: 'tokens of the conversation, without what was cached',
    text({ usage: { total } }) {
      const said = tokens(usedWithEstimate(total), 'tokens');
      return said === undefined ? undefined : `${approximatePrefix(total)}${said}`;
    },
  },
  'total-input-tokens': { about: 'tokens that were sent', text: ({ usage }) => tokens(usage.total.input, 'in') },
  'total-output-tokens': { about: 'tokens that came back', text: ({ usage }) => tokens(usage.total.output, 'out') },
  'estimated-thread-cost': {
    about: 'what the conversation has cost, where a price is known',
    text: ({ usage: { total } }) =>
      usedWithEstimate(total) === 0 || total.cost === undefined ? undefined : moneyWords(total.cost, total.estimated),
  },
  'task-progress': {
    about: 'how much of the plan is done',
    text: ({ tasks }) => (tasks === undefined || tasks.all === 0 ? undefined : `Tasks ${tasks.done}/${tasks.all}`),
  },
  goal: { about: 'how the goal stands, and what it has used', text: ({ goal }) => goalWords(goal) },
  'thread-name': { about: 'the name that you gave the conversation', text: ({ name }) => name },
  'thread-title': { about: 'its name, or your first words', text: ({ name, firstWords }) => name ?? firstWords },
  'thread-id': { about: 'the id of the conversation', text: ({ threadId }) => threadId },
  'capstan-version': { about: 'the version of Capstan', text: () => `v${version}` },
} as const satisfies Readonly<Record<string, StatusItem>>;

export type StatusId = keyof typeof statusItems;
/** Other names in Codex files. */
const otherNames: Readonly<Record<string, StatusId>> = { project: 'project-name', 'codex-version': 'capstan-version' };
/** Names that are valid in Codex files, but for which Capstan has nothing to show. */
const unshown =
  /^(pull-request-number|branch-changes|(five-hour|weekly)-limit|thread-credits|fast-mode|raw-output|workspace-headline|daybreak|profile)$/;

export type ParsedIds<Id> = { readonly ids: readonly Id[]; readonly unknown: readonly string[] };

export function parseStatusIds(words: readonly string[]): ParsedIds<StatusId> {
  const idOf = (word: string): StatusId | undefined => {
    if (Object.hasOwn(statusItems, word)) return word as StatusId;
    return Object.hasOwn(otherNames, word) ? otherNames[word] : undefined;
  };
  const ids = words.map(idOf).filter((id) => id !== undefined);
  const unknown = words.filter((word) => idOf(word) === undefined && !unshown.test(word));
  return { ids: [...new Set(ids)], unknown };
}

export const usualStatusLine: readonly StatusId[] = [
  'model-with-reasoning',
  'context-remaining',
  // Before the folder, which may take the rest of the line.
  'estimated-thread-cost',
  'current-dir',
  'git-branch',
  'used-tokens',
  'task-progress',
  'goal',
];
