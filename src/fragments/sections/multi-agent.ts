import { defineFamily } from '../text/define.ts';

export interface MultiAgentRoleText {
  /** Who this agent is among the others, and what they expect of it. */
  readonly text: string;
  /** How many agents may work at the same time. */
  readonly concurrency?: number;
}

export const multiAgentRoleFragment = defineFamily<MultiAgentRoleText>({
  id: 'multi-agent-role',
  purpose: 'The role of this agent among several.',
  role: 'developer',
  markers: ['<multi_agent_role>', '</multi_agent_role>'],
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

export const multiAgentModeFragment = defineFamily<MultiAgentModeText>({
  id: 'multi-agent-mode',
  purpose: 'When to start other agents.',
  role: 'developer',
  markers: ['<multi_agent_mode>', '</multi_agent_mode>'],
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

/**
 * The instructions of an agent begin with this; those of its role follow. It must hold for an agent that began with a
 * conversation, and when the user resumes its thread.
 */
export function agentSelf(path: string): string {
  const parent = path.slice(0, path.lastIndexOf('/'));
  return `You are the agent ${path}. The agent ${parent} started you and gives you your tasks, which you read as messages of a user. Messages of the user are only those from before you were started, if you began with a conversation, and those of a user who resumes your thread. Your parent reads your last answer and nothing else of you, so put all that it needs into that. Others may work in the same folder.`;
}
