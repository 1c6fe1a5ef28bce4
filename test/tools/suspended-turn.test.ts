import { describe, expect, it } from 'vitest';
import type { LineDraft } from '../../src/protocol/line.ts';
import { deadTurnNotice } from '../../src/engine/thread/turn/cut-off-turn.ts';
import { isSuspended } from '../../src/core/state/questions/pending-questions.ts';
import { answering, answeringCommands, needyScene } from '../harness/needy-scene.ts';
import { escalating, stoppedOnce } from '../harness/needy-tools.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { calls, done, typesOf, waiting } from '../harness/waiting-turn.ts';

const signal = new AbortController().signal;

describe('a turn whose process was killed while it waited', () => {
  it('is asked again, and goes on with the call and to the model', async () => {
    const { live, model, resume, tool } = await waiting([calls('a'), done]);
    const again = answeringCommands(() => ({ kind: 'allowed' }));
    await resume(again);
    const thread = await live.open();
    expect(thread.questions).toMatchObject([{ tool: 'reach', argv: ['sh', '-c', 'a'], justification: 'why not' }]);
    const turnId = thread.state.openTurn?.id;
    expect(await thread.continue({ signal })).toEqual({ kind: 'completed', lastMessage: 'Done.' });
    expect(again.asked).toEqual(['a']);
    expect(tool.ran).toEqual(['a disabled']);
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('did a');
    const lines = await live.lines();
    const callId = String(lines.find(({ payload }) => payload['type'] === 'function_call')?.payload['call_id']);
    expect(typesOf(lines, callId)).toEqual([
      'function_call',
      'question',
      'answer',
      'capstan_call',
      'function_call_output',
    ]);
    expect(lines.find(({ type }) => type === 'capstan_call')?.payload).toMatchObject({ outside: true });
    const ends = lines.filter(({ payload }) => payload['type'] === 'task_complete');
    expect(ends.map(({ payload }) => payload['turn_id'])).toEqual([turnId]);
    expect(lines.filter(({ payload }) => payload['type'] === 'task_started')).toHaveLength(1);
  });

  it('stays as it is where there is no one to ask', async () => {
    const { live, resume, tool } = await waiting([calls('a'), done]);
    await resume(undefined);
    const thread = await live.open();
    expect(await thread.continue({ signal })).toMatchObject({ kind: 'refused', outcome: { code: 'no-one-to-ask' } });
    expect(thread.questions).toHaveLength(1);
    expect(tool.ran).toEqual([]);
  });

  it('is closed by a new prompt, as lapsed', async () => {
    const { live, model, resume, tool, turn } = await waiting([calls('a'), done]);
    await resume(answeringCommands(() => ({ kind: 'allowed' })));
    expect(await turn('never mind')).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual([]);
    expect(textsOf(inputOf(model, 1))).toContain(
      'Not run: the program ended before the user answered whether it may run.',
    );
    expect(live.live!.questions).toEqual([]);
    expect((await live.lines()).filter(({ type }) => type === 'capstan_question').at(-1)?.payload).toMatchObject({
      answer: { kind: 'lapsed' },
    });
    expect(await live.live!.continue({ signal })).toMatchObject({ outcome: { code: 'nothing-suspended' } });
  });

  it('asks about each call in order, and does not repeat what has ended', async () => {
    const { live, model, resume, tool, asking } = await waiting([calls('plain x', 'a', 'b'), done]);
    while (!tool.ran.includes('plain x managed')) await new Promise((resolve) => setImmediate(resolve));
    await live.live!.inject({ type: 'message', role: 'user', content: [] });
    expect(asking.asked).toEqual(['a']);
    const again = answeringCommands((cmd) => ({ kind: cmd === 'a' ? 'declined' : 'allowed' }));
    await resume(again);
    const thread = await live.open();
    expect(thread.questions.map(({ argv }) => argv?.at(-1))).toEqual(['a', 'b']);
    expect(await thread.continue({ signal })).toMatchObject({ kind: 'completed' });
    expect(again.asked).toEqual(['a', 'b']);
    expect(tool.ran.toSorted()).toEqual(['b disabled', 'plain x managed']);
    const texts = textsOf(inputOf(model, 1));
    expect(texts).toEqual(expect.arrayContaining(['Not run: the user declined it.', 'did b']));
  });

  it('uses an answer that no call has used, once and without asking', async () => {
    const { live, model, tool, turn, resumeFrom } = await waiting([calls('a'), done, done]);
    const survivor = await resumeFrom('question-answered', { kind: 'allowed' });
    tool.ran.length = 0;
    const thread = await live.open();
    expect(survivor).toBe(true);
    expect([thread.questions, isSuspended(thread.state)]).toEqual([[], true]);
    // No one can be asked, and no one needs to be.
    expect(await thread.continue({ signal })).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual(['a disabled']);
    expect(await thread.continue({ signal })).toMatchObject({ outcome: { code: 'nothing-suspended' } });
    await turn('next');
    expect(tool.ran).toEqual(['a disabled']);
    expect(textsOf(inputOf(model, model.requests.length - 1)).filter((text) => text === 'did a')).toHaveLength(1);
  });

  it.each(['session', 'call'] as const)('uses an answer for the %s, whose grant counts by then', async (scope) => {
    const { live, tool, resumeFrom } = await waiting([calls('a'), done, done]);
    await resumeFrom('question-answered', { kind: 'allowed', scope });
    tool.ran.length = 0;
    expect(await (await live.open()).continue({ signal })).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual(['a disabled']);
  });

  it.each(['session', 'call'] as const)('tells the model what the user said with a yes for the %s', async (scope) => {
    const { live, model, resumeFrom } = await waiting([calls('a'), done, done]);
    await resumeFrom('question-answered', { kind: 'allowed', scope, note: 'Only in api/.' });
    const before = model.requests.length;
    await (await live.open()).continue({ signal });
    expect(textsOf(inputOf(model, before))).toContain('The user allowed it. The user says: Only in api/.\ndid a');
  });

  it('keeps to an answer that was a no', async () => {
    const { live, model, tool, resumeFrom } = await waiting([calls('a'), done, done]);
    await resumeFrom('question-answered', { kind: 'declined', note: 'Not today.' });
    const before = model.requests.length;
    expect(await (await live.open()).continue({ signal })).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual([]);
    // The process that goes on cannot ask, and says so.
    expect(textsOf(inputOf(model, before)).slice(-2)).toEqual([
      'Not run: the user declined it. The user says: Not today.',
      expect.stringContaining('The user cannot be asked'),
    ]);
  });

  it.each([
    [
      { kind: 'stopped', note: 'Enough.' },
      'Not run: the user declined it and stopped the turn. The user says: Enough.',
    ],
    [
      { kind: 'declined', by: 'review', verdict: { risk: 'high', authorization: 'unknown' } },
      'Not run: the reviewer declined it (risk: high; authorization by the user: unknown).',
    ],
  ] as const)('says who declined a call when another turn begins: %j', async (given, text) => {
    const { model, turn, resumeFrom } = await waiting([calls('a'), done, done]);
    await resumeFrom('question-answered', given);
    await turn('next');
    expect(textsOf(inputOf(model, model.requests.length - 1))).toContainEqual(expect.stringContaining(text));
  });

  it('has an unknown outcome once its call has begun', async () => {
    const { live, model, tool, turn, resumeFrom } = await waiting([calls('a'), done, done]);
    await resumeFrom('item-started', { kind: 'allowed' });
    tool.ran.length = 0;
    const thread = await live.open();
    expect(await thread.continue({ signal })).toMatchObject({ outcome: { code: 'nothing-suspended' } });
    await turn('next');
    expect(tool.ran).toEqual([]);
    expect(textsOf(inputOf(model, model.requests.length - 1)).join()).toContain('Outcome unknown');
  });

  it('lapses where the call no longer gives the same question', async () => {
    const { live, model, resume, tool } = await waiting([calls('a'), done]);
    const again = answeringCommands(() => ({ kind: 'allowed' }));
    const other = escalating(tool.ran, { needs: { effect: 'program', escalation: { reason: 'another reason' } } });
    await resume(again, other);
    expect(await (await live.open()).continue({ signal })).toMatchObject({ kind: 'completed' });
    expect([again.asked, tool.ran]).toEqual([[], []]);
    expect(textsOf(inputOf(model, 1)).at(-1)).toContain('what the user was asked about is no longer what it would do.');
  });

  it('lapses where the policy no longer allows the question', async () => {
    const { live, model, resume, tool } = await waiting([calls('a'), done]);
    const again = answeringCommands(() => ({ kind: 'allowed' }));
    await resume(again);
    live.settings = { approvals: 'never' };
    expect(await (await live.open()).continue({ signal })).toMatchObject({ kind: 'completed' });
    expect([again.asked, tool.ran]).toEqual([[], []]);
    expect(textsOf(inputOf(model, 1)).join()).toContain('the call is no longer allowed: the approval policy is never');
  });

  it('continues under the narrower of its own policy and the present one', async () => {
    const { live, resume } = await waiting([calls('a'), calls('plain x'), done]);
    await resume(answeringCommands(() => ({ kind: 'allowed' })));
    live.world = { ...live.world, mode: 'danger-full-access' };
    await (await live.open()).continue({ signal });
    const levels = (await live.lines())
      .filter(({ type }) => type === 'turn_context')
      .map(({ payload }) => (payload['sandbox_policy'] as { type: string }).type);
    expect(levels).toEqual(['workspace-write', 'workspace-write']);
  });

  it('does not take an answer, or a question, that this home did not write', async () => {
    const { live, resume, tool } = await waiting([calls('a'), done]);
    await resume(undefined);
    const asked = (await live.lines()).find(({ type }) => type === 'capstan_question')!;
    const { turn_id, call_id, about } = asked.payload;
    const payload = { turn_id, call_id, about, answer: { kind: 'allowed' }, seal: '' };
    await live.write([{ type: 'capstan_question', payload } as LineDraft]);
    const thread = await live.open();
    expect(isSuspended(thread.state)).toBe(false);
    expect(await thread.continue({ signal })).toMatchObject({ outcome: { code: 'nothing-suspended' } });
    expect(tool.ran).toEqual([]);
  });
});

describe('a thread that is given up while it waits', () => {
  it('suspends its turn, and another process continues it', async () => {
    const { live, resume, tool, ended } = await waiting([calls('a', 'b'), done]);
    await live.close();
    expect(await ended).toMatchObject({ kind: 'suspended', questions: [{ tool: 'reach' }, { tool: 'reach' }] });
    expect(live.events.at(-1)).toMatchObject({ kind: 'turn-suspended' });
    await resume(answeringCommands(() => ({ kind: 'allowed' })));
    const thread = await live.open();
    expect(await thread.continue({ signal })).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual(['a disabled', 'b disabled']);
  });

  it('refuses to be compacted until it is answered', async () => {
    const { live, resume } = await waiting([calls('a'), done]);
    await resume(undefined);
    const thread = await live.open();
    expect(await thread.compact({ signal })).toMatchObject({ kind: 'failed', outcome: { code: 'turn-suspended' } });
    expect(thread.questions).toHaveLength(1);
  });
});

it('a process that dies while it asks for another try leaves a call whose outcome is unknown', async () => {
  const ran: string[] = [];
  const stopped = stoppedOnce(ran);
  const again = answering(new Promise(() => {}));
  const { live, disk, model, turn } = await needyScene([calls('a'), done], () => [stopped], again);
  live.settings = { approvals: 'on-request' };
  const asked = new Promise<void>((resolve) => {
    live.onEvent = ({ kind }) => (kind === 'question-asked' ? resolve() : undefined);
  });
  void turn('go').catch(() => {});
  await asked;
  expect(live.live!.questions).toMatchObject([{ kind: 'retry', paths: [{ path: '/etc/x', access: 'write' }] }]);
  const survivor = disk.kill();
  live.replaceDisk({ home: '/home', files: survivor, locks: survivor.locks });
  const thread = await live.open();
  expect(thread.isSuspended).toBe(false);
  const said = deadTurnNotice(live.id!, thread.state)?.message;
  expect(said).toContain('outcome unknown: reach');
  expect(said).toContain('It waited for your answer whether it may run again; that question ended with it.');
  expect(await turn('go on')).toMatchObject({ kind: 'completed' });
  expect(ran).toEqual(['managed']);
  expect(textsOf(inputOf(model, 1)).join()).toContain('Outcome unknown');
});
