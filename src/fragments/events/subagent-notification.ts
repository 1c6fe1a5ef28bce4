import type { AgentStatus } from '../../protocol/agent.ts';
import type { Json } from '../../protocol/json.ts';
import { defineFragment } from '../text/define.ts';
import { truncateMiddle } from '../text/truncate.ts';

export interface SubagentNotificationText {
  readonly agentPath: string;
  readonly status: AgentStatus;
  /** What its answer may weigh, in tokens, where that is less than the most. */
  readonly limit?: number;
}

/** The most that an answer may weigh, in tokens. */
const mostTokens = 2400;

/** One line of JSON in a shape that other programs read. */
export const subagentNotificationFragment = defineFragment<SubagentNotificationText>({
  id: 'subagent-notification',
  purpose: 'The outcome of an agent that this one started.',
  role: 'user',
  markers: ['<subagent_notification>', '</subagent_notification>'],
  capTokens: 5000,
  separate: true,
  body({ agentPath, status, limit = mostTokens }) {
    const told = { agent_path: agentPath, status: statusValue(status, Math.min(limit, mostTokens)) };
    return `\n${JSON.stringify(told).replaceAll('<', '\\u003c')}\n`;
  },
});

function statusValue(status: AgentStatus, limit: number): Json {
  switch (status.kind) {
    case 'completed':
      return { completed: status.answer === undefined ? null : shortened(status.answer, limit) };
    case 'errored':
      return { errored: shortened(status.message, limit) };
    default:
      return status.kind;
  }
}

function shortened(text: string, limit: number): string {
  return truncateMiddle(text, { mode: 'tokens', limit });
}
