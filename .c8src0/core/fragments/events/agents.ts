import type { AgentStatus } from '../../../protocol/agent.ts';
import type { Json } from '../../../protocol/json.ts';
import { defineFragment } from '../text/define-fragment.ts';
import { withoutLineBreaks } from '../text/escape-markup.ts';
import { truncateMiddle } from '../text/truncate.ts';

export interface SubagentNotificationText {
  readonly agentPath: string;
  readonly status: AgentStatus;
  /** Limit for the agent's answer, in tokens, if it is below `mostTokens`. */
  readonly limit?: number;
}

/** Limit for an answer, in tokens. */
const mostTokens = 2400;

/** One line of JSON, in a form that other programs read. */
export const subagentNotificationFragment = defineFragment<SubagentNotificationText>({
  id: 'subagent-notification',
  purpose: 'The outcome of an agent that this one started.',
  role: 'user',
  capTokens: 5000,
  separate: true,
  body({ agentPath, status, limit = mostTokens }) {
    const told = { agent_path: agentPath, status: statusValue(status, Math.min(limit, mostTokens)) };
    return `\n${JSON.stringify(told).replaceAll('<', '\\u003c')}\n`;
  },
});

function statusValue(status: AgentStatus, limit: number): Json {
  if (status.kind === 'errored') return { errored: shortened(status.message, limit) };
  if (status.kind !== 'completed') return status.kind;
  return { completed: status.answer === undefined ? null : shortened(status.answer, limit) };
}

const shortened = (text: string, limit: number): string => truncateMiddle(text, { mode: 'tokens', limit });
/** More agents than can work in parallel. Older ones are only counted. */
const mostNamed = 40;

/** `paths`: oldest first. */
export const agentsElsewhereFragment = defineFragment<Readonly<Record<'paths', readonly string[]>>>({
  id: 'agents-elsewhere',
  purpose: 'Which agents belong to the conversation that this one was branched from.',
  capTokens: 1500,
  body({ paths }) {
    const older = paths.length > mostNamed ? [`and ${paths.length - mostNamed} older ones`] : [];
    const named = paths.slice(-mostNamed).map((path) => path.slice(0, 120));
    return `\nThese agents belong to the conversation that this one was branched from. They cannot be reached from here, and their answers do not come here: ${[...named, ...older].join(', ')}.\n`;
  },
});

export interface InterAgentMessageText {
  readonly type: 'MESSAGE' | 'NEW_TASK' | 'FINAL_ANSWER';
  readonly taskName: string;
  readonly sender: string;
  readonly payload: string;
}

/** It is an item of its own type, so it needs no markers. */
export const interAgentMessageFragment = defineFragment<InterAgentMessageText>({
  id: 'inter-agent-message',
  purpose: 'What another agent wrote to this one.',
  role: 'assistant',
  markers: 'none',
  capTokens: 10_000,
  separate: true,
  body: ({ type, taskName, sender, payload }) =>
    `Message Type: ${type}\nTask name: ${withoutLineBreaks(taskName)}\nSender: ${withoutLineBreaks(sender)}\nPayload:\n${payload}`,
});
