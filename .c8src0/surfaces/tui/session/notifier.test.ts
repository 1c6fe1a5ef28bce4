import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import { noUsage } from '../../../protocol/usage.ts';
import { Notifier } from './notifier.ts';

const turnId = 'turn-1' as TurnId;
const usual = { notifications: true, notificationMethod: 'osc9', notificationCondition: 'unfocused' } as const;
const ended: ThreadEvent = { kind: 'turn-completed', turnId, usage: noUsage, lastMessage: 'All done.' };
const begun: ThreadEvent = { kind: 'turn-started', turnId, usage: noUsage };
const asked: ThreadEvent = {
  kind: 'question-asked',
  turnId,
  question: {
    id: 'q',
    callId: 'c',
    turnId,
    tool: 'exec_command',
    item: {},
    kind: 'command',
    argv: ['bash', '-lc', 'echo out'],
    scopes: ['call'],
  },
};

function sent(
  events: readonly ThreadEvent[],
  settings: ConstructorParameters<typeof Notifier>[1] = usual,
  hasFocus = false,
): readonly string[] {
  const written: string[] = [];
  const notifier = new Notifier({ hasFocus, env: {}, write: (text) => written.push(text) }, settings);
  for (const event of events) notifier.observe(event);
  vi.advanceTimersByTime(1000);
  // oxlint-disable-next-line no-control-regex -- our own sequence
  return written.map((text) => text.replaceAll(/^\u001B\]9;|\u0007$/g, ''));
}

describe('notifications', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('of an ended turn have its own answer', () => {
    expect(sent([begun, ended])).toEqual(['Capstan: All done.']);
    expect(sent([begun, { ...ended, lastMessage: undefined } as unknown as ThreadEvent])).toEqual([
      'Capstan: The turn is complete',
    ]);
  });

  it('are not sent while the user looks, or where another turn follows', () => {
    expect(sent([begun, ended], usual, true)).toEqual([]);
    expect(sent([begun, ended, begun])).toEqual([]);
    expect(sent([begun, ended], { ...usual, notificationCondition: 'always' }, true)).toHaveLength(1);
  });

  it('of a question come at once, and in the place of an ended turn', () => {
    expect(sent([begun, ended, asked])).toEqual([expect.stringMatching(/^Capstan asks whether it may run .*echo out/)]);
  });

  it('are those that the configuration lists', () => {
    expect(sent([begun, asked, ended], { ...usual, notifications: false })).toEqual([]);
    expect(sent([begun, asked, ended], { ...usual, notifications: ['agent-turn-complete'] })).toEqual([
      'Capstan: All done.',
    ]);
  });
});
