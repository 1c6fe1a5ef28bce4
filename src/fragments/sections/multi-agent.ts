import { defineFragment, defineWithdrawal } from '../text/define.ts';

export interface MultiAgentRoleText {
  /** Who this agent is among the others, and what they expect of it. */
  readonly text: string;
  /** How many agents may work at the same time. */
  readonly concurrency?: number;
}

export const multiAgentRoleFragment = defineFragment<MultiAgentRoleText>({
  id: 'multi-agent-role',
  purpose: 'Who this agent is among several.',
  role: 'developer',
  markers: ['<multi_agent_role>', '</multi_agent_role>'],
  capTokens: 1500,
  separate: true,
  section: 'multi_agent_usage_hint',
  body({ text, concurrency }) {
    const limit = concurrency === undefined ? '' : `\nAgents that may work at the same time: ${concurrency}`;
    return `\n${text}${limit}\n`;
  },
});

export const multiAgentRoleWithdrawnFragment = defineWithdrawal(multiAgentRoleFragment, {
  body: '\nWhat was said about your role among agents no longer holds: you work alone.\n',
});

export type MultiAgentModeText =
  | { readonly kind: 'explicit' }
  | { readonly kind: 'proactive' }
  | { readonly kind: 'custom'; readonly text: string };

export const multiAgentModeFragment = defineFragment<MultiAgentModeText>({
  id: 'multi-agent-mode',
  purpose: 'When to start other agents.',
  role: 'developer',
  markers: ['<multi_agent_mode>', '</multi_agent_mode>'],
  capTokens: 450,
  section: 'multi_agent_mode',
  body: (mode) => `\n${modeText(mode)}\n`,
});

export const multiAgentModeWithdrawnFragment = defineWithdrawal(multiAgentModeFragment, {
  body: '\nWhat was said about starting agents no longer holds.\n',
});

function modeText(mode: MultiAgentModeText): string {
  switch (mode.kind) {
    case 'explicit':
      return 'Start other agents only when the user asks for it in so many words.';
    case 'proactive':
      return 'Start other agents on your own whenever parts of the task can be done side by side and the gain is worth the cost.';
    case 'custom':
      return mode.text;
  }
}
