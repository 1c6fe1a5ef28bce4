import { expect, test } from 'vitest';
import type { ThreadId, TurnId } from '../../../protocol/ids.ts';
import type { Line, LineDraft } from '../../../protocol/line.ts';
import type { CommandItem } from '../../../protocol/turn-item.ts';
import { callStartedLine, sessionDroppedLine, sessionExitedLine, sessionStartedLine } from './running-calls.ts';
import { compactedLines } from '../checkpoints/compacted-line.ts';
import { itemCompletedLine, itemLine } from '../drafts/item-lines.ts';
import { foldRecorded, initialRecordedState } from '../recorded/thread-events.ts';
import { reduce } from '../reduce.ts';
import { emptyThreadState, type ThreadState } from '../thread-state.ts';

const [threadId, first, second] = ['thread' as ThreadId, 'turn-1' as TurnId, 'turn-2' as TurnId];
const item: CommandItem = {
  kind: 'command',
  id: 'call',
  argv: ['sh', '-c', 'npm start'],
  cwd: '/repo',
  status: 'in-progress',
  output: '',
};
const known = { pid: 4321, startedAt: 'then', mark: 'mark' };
const started = sessionStartedLine({ id: 4242, threadId, turnId: first, callId: 'call', at: 5, item, process: known });
const event = (payload: object): LineDraft => ({ type: 'event_msg', payload: { ...payload } });
const call = { type: 'function_call', id: 'fc', call_id: 'call', name: 'exec_command', arguments: '{}' };
const answered = { type: 'function_call_output', id: 'fco', call_id: 'call', output: 'Process running' };
const over: CommandItem = { ...item, status: 'completed', exitCode: 0, durationMs: 10 };

const lines = (drafts: readonly LineDraft[]): readonly Line[] =>
  drafts.map((draft, ordinal) => ({ timestamp: '2026-11-16T00:00:00.000Z', ordinal, ...draft }) as Line);

const folded = (...drafts: readonly LineDraft[]): ThreadState => lines(drafts).reduce(reduce, emptyThreadState);

test('lines say that a session runs, has ended, and is no more', () => {
  const running = { id: 4242, threadId, turnId: first, callId: 'call', at: 5, process: known };
  expect(folded(started).sessions).toMatchObject([running]);
  expect(folded(started, sessionExitedLine(4242, 'exited')).sessions).toMatchObject([{ ...running, exited: true }]);
  expect(folded(started, sessionDroppedLine(4242, 'exited')).sessions).toEqual([]);
  const odd: LineDraft = { type: 'capstan_session', payload: { id: 'x', exited: {} } };
  expect(folded(odd, sessionExitedLine(1, 'exited'), sessionDroppedLine(1, 'gone'))).toEqual(emptyThreadState);
});

test('a checkpoint carries sessions, and says which there were until they are gone', () => {
  const before = folded(started, sessionExitedLine(4242, 'exited'));
  const checkpoint = { message: '', items: [], metadata: [], windowId: 'w', report: {} as never };
  const [compacted] = compactedLines(before, checkpoint);
  // A fold that begins with the checkpoint knows the same.
  for (const state of [folded(started, sessionExitedLine(4242, 'exited'), compacted!), folded(compacted!)]) {
    expect([state.sessions, state.sessionsAtCheckpoint]).toEqual([before.sessions, before.sessions]);
    const [told] = lines([sessionDroppedLine(4242, 'exited')]).map((line) => reduce(state, line));
    expect([told!.sessions, told!.sessionsAtCheckpoint]).toEqual([[], before.sessions]);
    const [gone] = lines([sessionDroppedLine(4242, 'gone')]).map((line) => reduce(state, line));
    expect([gone!.sessions, gone!.sessionsAtCheckpoint]).toEqual([[], []]);
  }
});

test('a reader of lines sees one end, in the turn that began the command', () => {
  const drafts: readonly LineDraft[] = [
    event({ type: 'task_started', turn_id: first }),
    itemLine(call, { family: 'model' }, first),
    callStartedLine({ threadId, turnId: first, callId: 'call', tool: 'exec_command', at: 5, item }),
    started,
    itemLine(answered, { family: 'tool' }, first),
    event({ type: 'task_complete', turn_id: first }),
    event({ type: 'task_started', turn_id: second }),
    itemCompletedLine({ threadId, turnId: first, at: 9, item: over }),
    sessionExitedLine(4242, 'exited'),
  ];
  let state = initialRecordedState(threadId);
  const news = lines(drafts).map((line) => {
    const recorded = foldRecorded(state, line);
    state = recorded.state;
    return recorded.news.flatMap((each) =>
      each.kind === 'event' && each.event.kind === 'item-completed' ? [each.event] : [],
    );
  });
  expect(news.flat()).toMatchObject([{ turnId: first, item: { id: 'call', status: 'completed', exitCode: 0 } }]);
  expect(news.at(-1)).toHaveLength(1);
});
