import type { Json } from '../../protocol/json.ts';
import { defineFragment } from '../text/define.ts';
import { truncateMiddle } from '../text/truncate.ts';

export type SubagentStatus =
  | { readonly kind: 'pending_init' | 'running' | 'interrupted' | 'shutdown' | 'not_found' }
  | { readonly kind: 'completed'; readonly answer?: string }
  | { readonly kind: 'errored'; readonly message: string };

export interface SubagentNotificationText {
  readonly agentPath: string;
  readonly status: SubagentStatus;
}

/** One line of JSON in a shape that other programs read. */
export const subagentNotificationFragment = defineFragment<SubagentNotificationText>({
  id: 'subagent-notification',
  purpose: 'The outcome of an agent that this one started.',
  role: 'user',
  markers: ['<subagent_notification>', '</subagent_notification>'],
  capTokens: 2000,
  separate: true,
  body: ({ agentPath, status }) =>
    `\n${JSON.stringify({ agent_path: agentPath, status: statusValue(status) }).replaceAll('<', '\\u003c')}\n`,
});

function statusValue(status: SubagentStatus): Json {
  switch (status.kind) {
    case 'completed':
      return { completed: status.answer === undefined ? null : shortened(status.answer) };
    case 'errored':
      return { errored: shortened(status.message) };
    default:
      return status.kind;
  }
}

function shortened(text: string): string {
  return truncateMiddle(text, { mode: 'tokens', limit: 900 });
}
