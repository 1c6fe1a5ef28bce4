import { truncateMiddle } from '../../fragments/text/truncate.ts';
import type { HookEntry, HookEvent, HookRun } from '../../protocol/hook-run.ts';
import { visibleLine } from '../terminal/visible-text.ts';

const [longestName, longestText] = [80, 200];

/** What a hook did that no other line shows: it changed a call or its result, or kept a turn going. */
export function hookLines({ event, command, entries }: HookRun): readonly string[] {
  const name = short(command, longestName);
  return entries.flatMap(({ kind, text }) => {
    const did = words[kind]?.[event];
    return did === undefined ? [] : [`hook ${name} ${did}: ${short(text, longestText)}`];
  });
}

const words: Readonly<Partial<Record<HookEntry['kind'], Readonly<Partial<Record<HookEvent, string>>>>>> = {
  change: { PreToolUse: 'changed the call to', PostToolUse: 'replaced the result with' },
  feedback: {
    PostToolUse: 'withheld the result',
    Stop: 'kept the turn going',
    SubagentStop: 'kept the agent going',
  },
  stop: { PostToolUse: 'withheld the result', SessionStart: 'ended the turn', PostCompact: 'ended the turn' },
};

/** Why a turn has no answer. */
export function withoutAnswer({ endedBy }: { readonly endedBy?: 'hook' }): string {
  return endedBy === undefined ? 'The model ended the turn without an answer.' : 'A hook ended the turn.';
}

function short(text: string, limit: number): string {
  const [first = ''] = text.split('\n', 1);
  return visibleLine(truncateMiddle(first, { mode: 'bytes', limit }));
}
