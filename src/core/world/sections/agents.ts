import type { Step } from '../../envelope/envelope.ts';
import { defineWithdrawableFragment, defineReplaceableFragment } from '../../fragments/text/define-fragment.ts';
import { withoutLineBreaks } from '../../fragments/text/escape-markup.ts';
import { textSection } from './section.ts';

type ToldAgents = Required<Pick<Step['facts'], 'agents'>>;
/** More agents than can work in parallel. Older ones are only counted. */
const mostNamed = 40;

export const knownAgentsFragment = defineReplaceableFragment<ToldAgents>({
  id: 'known-agents',
  purpose: 'Which agents the thread had when history was compacted.',
  capTokens: 3500,
  section: 'capstan.agents',
  notice: 'This takes the place of the list given before.',
  body({ agents }) {
    const lines = agents
      .slice(-mostNamed)
      .map(({ path, role, stands }) => `${line(path)} (${line(role)}): ${stands}\n`);
    const older = agents.length > mostNamed ? `… and ${agents.length - mostNamed} older ones\n` : '';
    return `Agents that you started, as of the last compaction of this conversation (list_agents gives how they stand now, and their last answers):\n${older}${lines.join('')}`;
  },
  withdrawn: '\nThe agents listed before are no more.\n',
});

/** Cuts a text to one short line: role names come from files of the user. */
const line = (text: string): string => withoutLineBreaks(text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** Agents at a checkpoint, which removed their mentions. Answers and notifications report what became of them. */
export const knownAgentsSection = textSection<ToldAgents>({
  assumes: 'the permissions that agents have at most',
  kind: knownAgentsFragment,
  of: ({ facts: { agents = [] } }) => (agents.length === 0 ? undefined : { agents }),
});

export interface MultiAgentRoleText {
  /** The agent's identity among the others, and what they expect of it. */
  readonly text: string;
  /** How many agents may work at the same time. */
  readonly concurrency?: number;
}

export const multiAgentRoleFragment = defineWithdrawableFragment<MultiAgentRoleText>({
  id: 'multi-agent-role',
  purpose: 'The role of this agent among several.',
  capTokens: 1500,
  separate: true,
  section: 'multi_agent_usage_hint',
  body({ text, concurrency }) {
    const limit = concurrency === undefined ? '' : `\nAgents that may work at the same time: ${concurrency}`;
    return `\n${text}${limit}\n`;
  },
  withdrawn: '\nWhat was said about your role among agents no longer holds: you work alone.\n',
});

export type MultiAgentModeText =
  | { readonly kind: keyof typeof starting }
  | { readonly kind: 'custom'; readonly text: string };

export const multiAgentModeFragment = defineWithdrawableFragment<MultiAgentModeText>({
  id: 'multi-agent-mode',
  purpose: 'When to start other agents.',
  capTokens: 450,
  section: 'multi_agent_mode',
  body: (mode) => `\n${mode.kind === 'custom' ? mode.text : starting[mode.kind]}\n`,
  withdrawn: '\nWhat was said about starting agents no longer holds.\n',
});

const starting = {
  explicit: 'Start other agents only when the user asks for it in so many words.',
  proactive:
    'Start other agents on your own whenever parts of the task can be done side by side and the gain is worth the cost.',
} as const;

/** Precedes the role's text. Must hold for an agent begun with a conversation, and when its thread is resumed. */
export function agentIntroduction(path: string): string {
  const parent = path.slice(0, path.lastIndexOf('/'));
  return `You are the agent ${path}. The agent ${parent} started you and gives you your tasks, which you read as messages of a user. Messages of the user are only those from before you were started, if you began with a conversation, and those of a user who resumes your thread. Your parent reads your last answer and nothing else of you, so put all that it needs into that. Others may work in the same folder.`;
}
