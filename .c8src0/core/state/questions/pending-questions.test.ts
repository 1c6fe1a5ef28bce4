import { describe, expect, it } from 'vitest';
import type { Ordinal, TurnId } from '../../../protocol/ids.ts';
import type { CallItem } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Line, LineDraft } from '../../../protocol/line.ts';
import type { Question } from '../../../protocol/question.ts';
import { carriedState } from '../checkpoints/compacted-line.ts';
import { grantsDroppedLine, grantsFromJson } from './grants.ts';
import { sealedClaimIn, sealedGrant, withholdEntries } from '../line-seals.ts';
import { isAnswered, isSuspended, pendingQuestions, questionId } from './pending-questions.ts';
import { questionKey, questionAnsweredLine, questionAskedLine, questionDroppedLine } from './question-lines.ts';
import { reduce } from '../reduce.ts';
import { emptyThreadState, type ThreadState } from '../thread-state.ts';

const turnId = 'T' as TurnId;
const asking = {
  callId: 'c',
  turnId,
  tool: 'exec_command',
  item: { type: 'CommandExecution', id: 'c' },
  kind: 'command',
  reason: 'it leaves the sandbox',
  justification: 'the network',
  argv: ['sh', '-c', 'curl a.org'],
  cwd: '/repo',
  paths: [{ path: '/x', access: 'write' }],
  host: { name: 'a.org', port: 443, protocol: 'https' },
  permissions: { network: true, read: ['/a'], write: ['/b'] },
  prefix: ['curl'],
  scopes: ['call', 'session', 'rule'],
} as const satisfies Omit<Question, 'id'>;
const call: CallItem = { type: 'function_call', name: 'exec_command', call_id: 'c', arguments: '{"cmd":"curl"}' };
const about = questionKey(call, asking);
const question: Question = { id: questionId({}, about), ...asking };
const start = { type: 'event_msg', payload: { type: 'task_started', turn_id: turnId } };
const allowed = { kind: 'allowed', scope: 'session', about, keys: ['k'], under: 'mark' } as const;

function folded(...drafts: readonly LineDraft[]): ThreadState {
  const lines = [start, ...drafts].map((draft, ordinal) => ({ timestamp: '', ordinal: ordinal as Ordinal, ...draft }));
  return (lines as readonly Line[]).reduce(reduce, emptyThreadState);
}

function answered(answer: JsonObject, more: JsonObject = {}): LineDraft {
  return { type: 'capstan_question', payload: { turn_id: turnId, call_id: 'c', about, answer, ...more } };
}

describe('a question', () => {
  const asked = questionAskedLine(question, { call, about });

  it('waits in the open turn as it was asked', () => {
    const state = folded(asked);
    expect(pendingQuestions(state)).toEqual([question]);
    expect(isSuspended(state)).toBe(true);
  });

  it('waits with its answer until the call begins or is answered', () => {
    const known = folded(asked, questionAnsweredLine(question, allowed));
    expect([pendingQuestions(known), isSuspended(known)]).toEqual([[], true]);
    expect(known.openTurn?.questions?.[0]?.answer).toEqual(allowed);
    const began = { thread_id: 'x', turn_id: turnId, call_id: 'c', tool: 't', started_at_ms: 1, item: {} };
    expect(isSuspended(folded(asked, { type: 'capstan_call', payload: began }))).toBe(false);
    const output = { type: 'function_call_output', call_id: 'c', output: 'no' };
    expect(isSuspended(folded(asked, { type: 'response_item', payload: output }))).toBe(false);
    expect(isSuspended(folded(asked, questionDroppedLine(question)))).toBe(false);
    expect(isSuspended(folded(asked, { type: 'event_msg', payload: { type: 'turn_aborted', turn_id: turnId } }))).toBe(
      false,
    );
  });

  it('that was asked while its call ran does not suspend the turn', () => {
    const began = { thread_id: 'x', turn_id: turnId, call_id: 'c', tool: 't', started_at_ms: 1, item: {} };
    const state = folded(
      { type: 'capstan_call', payload: began },
      questionAskedLine({ ...question, kind: 'retry' }, { call, about }),
    );
    expect([pendingQuestions(state).length, isSuspended(state)]).toEqual([1, false]);
  });

  it.each<[string, LineDraft]>([
    ['of another question', answered({ kind: 'allowed' }, { about: 'other' })],
    ['that does not say what it is about', answered({ kind: 'allowed' }, { about: null })],
    ['of an unknown kind', answered({ kind: 'sure' })],
    ['of an unknown scope', answered({ kind: 'allowed', scope: 'always' })],
    [
      'that is a word',
      { type: 'capstan_question', payload: { turn_id: turnId, call_id: 'c', about, answer: 'allowed' } },
    ],
    ['of another turn', answered({ kind: 'allowed' }, { turn_id: 'U' })],
    ['with keys that are none', answered({ kind: 'allowed', scope: 'session' }, { keys: [1] })],
  ])('takes no answer %s', (_name, line) => {
    const state = folded(asked, line);
    expect(pendingQuestions(state)).toEqual([question]);
    expect(state.grants).toEqual([]);
  });

  it('takes no scope that it did not offer, and no second answer', () => {
    const narrow = questionAskedLine({ ...question, scopes: ['call'] }, { call, about });
    expect(folded(narrow, questionAnsweredLine(question, allowed)).grants).toEqual([]);
    const twice = folded(asked, answered({ kind: 'declined' }), questionAnsweredLine(question, allowed));
    expect([twice.openTurn?.questions?.[0]?.answer?.kind, twice.grants]).toEqual(['declined', []]);
  });

  it('has a name of its own, also where the call was asked about before', () => {
    expect(question.id).toBe(about.slice(0, 16));
    const retry = { ...question, kind: 'retry' } as const;
    const again = questionAskedLine(retry, { call, about: questionKey(call, retry) });
    const second = folded(asked, questionAnsweredLine(question, allowed), again);
    const [{ id } = question] = pendingQuestions(second);
    expect(id).not.toBe(question.id);
    expect([isAnswered(second, question.id), isAnswered(second, id)]).toEqual([true, false]);
    // Asks a question that is equal to the last character once more.
    const same = folded(asked, questionAnsweredLine(question, allowed), asked);
    expect(pendingQuestions(same)).toEqual([{ ...question, id: `${question.id}-2` }]);
    // A line that was written twice is one question.
    expect(pendingQuestions(folded(asked, asked))).toEqual([question]);
  });

  it('waits beside others about the same call, unless a later one says that it takes its place', () => {
    const other = { ...question, host: { name: 'b.org', port: 443, protocol: 'https' } } as const;
    const otherAbout = questionKey(call, other);
    const beside = folded(asked, questionAskedLine(other, { call, about: otherAbout }));
    expect(pendingQuestions(beside).map(({ host }) => host?.name)).toEqual(['a.org', 'b.org']);
    const declined = questionAnsweredLine(other, { kind: 'declined', about: otherAbout });
    expect(pendingQuestions(folded(asked, questionAskedLine(other, { call, about: otherAbout }), declined))).toEqual([
      question,
    ]);
    const instead = folded(asked, questionAskedLine(other, { call, about: otherAbout, supersedes: about }));
    expect(pendingQuestions(instead).map(({ host }) => host?.name)).toEqual(['b.org']);
    expect(isAnswered(instead, question.id)).toBe(false);
  });

  it('of a kind that only a newer version knows is not taken for another one', () => {
    const line = questionAskedLine({ ...question, kind: 'hook' as never }, { call, about });
    expect(pendingQuestions(folded(line))).toEqual([{ ...question, kind: 'unknown' }]);
  });

  it('is about its arguments to the last character', () => {
    const other = { ...call, arguments: '{"cmd":"curl "}' };
    expect(questionKey(other, question)).not.toBe(about);
    expect(questionKey(call, { ...question, cwd: '/' })).not.toBe(about);
    expect(questionKey(call, { ...question, commands: [['curl']] })).toBe(about);
  });

  it('keeps the beginning of a word that stands in the call, and is shown whole', () => {
    const script = 'x'.repeat(5000);
    const made = { ...call, arguments: JSON.stringify({ note: `${script.slice(0, 4000)}y`, cmd: script }) };
    const long = { ...question, argv: ['sh', '-c', script], prefix: ['p'.repeat(2000)] };
    const line = questionAskedLine(long, { call: made, about });
    expect(JSON.stringify(line).length).toBeLessThan(4500);
    const state = folded({ type: 'response_item', payload: made }, line);
    expect(pendingQuestions(state)).toEqual([{ ...long, id: question.id }]);
    // Without the call, or with another one, the beginning is all there is.
    const short = ['sh', '-c', `${script.slice(0, 1000)} …`];
    expect(pendingQuestions(folded(line))[0]?.argv).toEqual(short);
    const other = { ...call, arguments: JSON.stringify({ cmd: 'something else' }) };
    expect(pendingQuestions(folded({ type: 'response_item', payload: other }, line))[0]?.argv).toEqual(short);
  });

  it('about another tool is shown with the arguments of the call', () => {
    const item = { type: 'DynamicToolCall', id: 'c', tool: 'deploy', arguments: {} };
    const made = { ...call, arguments: '{"to":"production"}' };
    const asks = questionAskedLine({ ...question, item }, { call: made, about });
    const [shown] = pendingQuestions(folded({ type: 'response_item', payload: made }, asks));
    expect(shown?.item).toEqual({ ...item, arguments: { to: 'production' } });
  });

  it('stands in the order of the calls, however long each took to be decided', () => {
    const second = { ...call, call_id: 'd' };
    const later = { ...question, callId: 'd' };
    const state = folded(
      { type: 'response_item', payload: call },
      { type: 'response_item', payload: second },
      questionAskedLine(later, { call: second, about: questionKey(second, later) }),
      asked,
    );
    expect(pendingQuestions(state).map(({ callId }) => callId)).toEqual(['c', 'd']);
  });
});

describe('a grant', () => {
  const asked = questionAskedLine(question, { call, about });
  const state = folded(asked, questionAnsweredLine(question, allowed));

  it('of one question stays when the same call is asked about again', () => {
    const second = { ...question, reason: 'another' };
    const other = { ...allowed, about: questionKey(call, second), keys: ['other'] };
    const both = folded(
      asked,
      questionAnsweredLine(question, allowed),
      questionAskedLine(second, { call, about: other.about }),
      questionAnsweredLine(second, other),
    );
    expect(both.grants.map(({ keys }) => keys)).toEqual([['k'], ['other']]);
    expect(grantsFromJson(carriedState(both))).toEqual(both.grants);
  });

  it('is what an answer for the session keeps', () => {
    expect(state.grants).toEqual([{ callId: 'c', turnId, about, scope: 'session', keys: ['k'], under: 'mark' }]);
    expect(folded(asked, answered({ kind: 'allowed' }, { keys: ['k'] })).grants).toEqual([]);
    expect(folded(asked, answered({ kind: 'declined', scope: 'session' }, { keys: ['k'] })).grants).toEqual([]);
    const long = answered({ kind: 'allowed', scope: 'session' }, { keys: ['k'.repeat(5000)] });
    expect(folded(asked, long).grants).toEqual([]);
  });

  it('is carried by checkpoints, and sealed as the line of its answer', () => {
    expect(grantsFromJson(carriedState(state))).toEqual(state.grants);
    const line = questionAnsweredLine(question, allowed);
    expect(sealedGrant(state.grants[0]!).claim).toEqual(sealedClaimIn(line)?.claim);
    expect(sealedClaimIn(questionAnsweredLine(question, { ...allowed, under: 'other' }))?.claim).not.toEqual(
      sealedClaimIn(line)?.claim,
    );
    expect(sealedClaimIn(asked)?.claim).toEqual(['capstan_question', turnId, 'c', about]);
  });

  it('ends one by one, or all at once', () => {
    const answer = questionAnsweredLine(question, allowed);
    expect(folded(asked, answer, grantsDroppedLine('unproven', { callId: 'd', about })).grants).toHaveLength(1);
    expect(folded(asked, answer, grantsDroppedLine('unproven', { callId: 'c', about: 'else' })).grants).toHaveLength(1);
    expect(folded(asked, answer, grantsDroppedLine('unproven', { callId: 'c', about })).grants).toEqual([]);
    expect(folded(asked, answer, grantsDroppedLine('forked')).grants).toEqual([]);
    const ofCall = { type: asked.type, payload: { call_id: 'c', dropped: 'unproven' } };
    expect(folded(asked, answer, ofCall).grants).toEqual([]);
  });

  it('of another question about the same call stands beside it, and ends alone', () => {
    const retry = { ...question, kind: 'retry' } as const;
    const again = { ...allowed, about: questionKey(call, retry), keys: ['more'] };
    const lines = [asked, questionAnsweredLine(question, allowed)];
    lines.push(questionAskedLine(retry, { call, about: again.about }), questionAnsweredLine(retry, again));
    const both = folded(...lines);
    expect(both.grants.map(({ keys }) => keys)).toEqual([['k'], ['more']]);
    expect(grantsFromJson(carriedState(both))).toEqual(both.grants);
    const dropped = grantsDroppedLine('unproven', { callId: 'c', about });
    expect(folded(...lines, dropped).grants.map(({ keys }) => keys)).toEqual([['more']]);
    const withheld = withholdEntries(both, { pins: [], waiting: [], grants: both.grants.slice(0, 1) });
    expect(withheld.grants).toEqual(both.grants.slice(1));
  });
});

describe('permissions for a turn', () => {
  const request: Question = { ...question, kind: 'permissions', scopes: ['call', 'session'] };
  const requested = questionKey(call, request);
  const yes = { kind: 'allowed', about: requested, keys: ['k'], under: 'mark' } as const;
  const lines = [questionAskedLine(request, { call, about: requested }), questionAnsweredLine(request, yes)];
  const grant = { callId: 'c', turnId, about: requested, keys: ['k'], under: 'mark' };

  it('are what the answer keeps, until the turn ends', () => {
    const state = folded(...lines);
    expect([state.openTurn?.grants, state.grants]).toEqual([[grant], []]);
    expect(sealedGrant(grant).claim).toEqual(sealedClaimIn(lines[1]!)?.claim);
    const ended = { type: 'event_msg', payload: { type: 'task_complete', turn_id: turnId } };
    expect(folded(...lines, ended, { ...start, payload: { ...start.payload, turn_id: 'U' } }).openTurn?.grants).toBe(
      undefined,
    );
  });

  it('come of no other question, and of no other answer', () => {
    const other = [questionAskedLine(question, { call, about }), questionAnsweredLine(question, { ...yes, about })];
    expect(folded(...other).openTurn?.grants).toBe(undefined);
    const no = questionAnsweredLine(request, { ...yes, kind: 'declined' });
    expect(folded(lines[0]!, no).openTurn?.grants).toBe(undefined);
  });

  it('are carried by checkpoints, and end when a line drops them', () => {
    const state = folded(...lines);
    const payload = { message: '', replacement_history: [], capstan: carriedState(state) };
    expect(folded(...lines, { type: 'compacted', payload }).openTurn?.grants).toEqual([grant]);
    expect(folded(...lines, grantsDroppedLine('unproven', grant)).openTurn?.grants).toBe(undefined);
  });
});
