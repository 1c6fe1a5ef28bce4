import { describe, expect, test } from 'vitest';
import { type Candidate, isFaultyAnswer } from '../../src/core/compaction/candidates/candidate.ts';
import { remoteCandidate } from '../../src/core/compaction/candidates/build-candidate.ts';
import type { HistoryEntry } from '../../src/core/history/entry.ts';
import type { Item } from '../../src/protocol/item.ts';
import { answered, installed, planOf, said, sourceOf, textsOf, turn, worked } from './scene.ts';

const sealed: Item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'c2VhbGVk' };
const first = said('msg_1', 'Fix the parser, and keep its old tests.', { pictures: 1 });
const last = said('msg_2', 'Use tabs in it.');
const hookPrompt: HistoryEntry = {
  item: {
    type: 'message',
    id: 'msg_h',
    role: 'user',
    content: [{ type: 'input_text', text: '<hook_prompt hook_run_id="1">go on</hook_prompt>' }],
  },
  origin: { family: 'context', kinds: ['hook-prompt'] },
  turn,
};
const agent = (id: string, text: string, more: object = {}): HistoryEntry => ({
  item: {
    type: 'agent_message',
    id,
    author: '/root',
    recipient: '/root/child',
    content: [{ type: 'input_text', text }],
    ...more,
  },
  origin: { family: 'model' },
  turn,
});
const order = agent('am_1', 'Message Type: NEW_TASK\nTask name: x\nSender: /root\nPayload:\nRead.');
const story: readonly HistoryEntry[] = [order, first, ...worked('1'), hookPrompt, answered('Half done.'), last];

/** The list of the user's messages comes first. */
function afterWords(candidate: Candidate): readonly HistoryEntry[] {
  const [list, ...rest] = installed(candidate);
  expect(list?.origin).toEqual({ family: 'context', kinds: ['checkpoint-intent'], cause: 'event' });
  expect(list?.words?.map(({ id }) => id)).toEqual(['msg_1', 'msg_h', 'msg_2']);
  return rest;
}

function made(items: readonly Item[], form: 'unary' | 'stream', entries = story): Candidate {
  const result = remoteCandidate(planOf(), sourceOf(entries), items, form);
  if (isFaultyAnswer(result)) throw new Error(result.faults.join(' '));
  return result;
}

describe('the streaming form', () => {
  test('leaves what people, hooks and agents asked for, and the sealed item last', () => {
    const candidate = made([answered('ignored').item, sealed], 'stream');
    expect(textsOf(installed(candidate))[0]).toContain('from a hook, not from the user =====\ngo on\n');
    expect(afterWords(candidate)).toEqual([order, { item: sealed, origin: { family: 'model' }, turn }]);
    expect(candidate).toMatchObject({
      strategy: 'remote',
      message: '',
      words: { kept: 2, cut: 0, dropped: 0 },
      mended: [],
    });
  });

  test('has the plan and the files before it: what tools wrote down needs no provider', () => {
    const plan = { steps: [{ text: 'Parse', status: 'in-progress' }], isOlder: false } as const;
    const work = { plan, files: [{ path: 'a.ts', kind: 'add' }] } as const;
    const result = remoteCandidate(planOf(), sourceOf(story, work), [sealed], 'stream');
    if (isFaultyAnswer(result)) throw new Error(result.faults.join(' '));
    const [, records, end, ...more] = afterWords(result);
    expect(more).toEqual([]);
    expect(records?.origin).toEqual({ family: 'context', kinds: ['checkpoint-records'], cause: 'event' });
    expect(JSON.stringify(records?.item)).toMatch(/- \[in progress\] Parse.*- added a\.ts/);
    expect(end?.item).toEqual(sealed);
  });

  test('drops what agents report, and what is too large of them', () => {
    const reports = [
      agent('am_2', 'Message Type: FINAL_ANSWER\nDone.'),
      agent('am_3', 'Message Type: MESSAGE\nHalf.', { author: '/root/child', recipient: '/root' }),
      agent('am_4', 'Message Type: NEW_TASK\n'.padEnd(50_000, 'x')),
    ];
    const ids = installed(made([sealed], 'stream', [...reports, last])).map(({ item }) => item['id']);
    expect(ids.slice(1)).toEqual(['cmp_1']);
  });

  test.each<readonly [string, readonly Item[], string]>([
    ['none', [answered('x').item], 'The provider sent 0 compaction items instead of one.'],
    ['two', [sealed, sealed], 'The provider sent 2 compaction items instead of one.'],
    ['an empty one', [{ type: 'compaction', encrypted_content: '' }], 'The compaction item of the provider is empty.'],
  ])('is refused with %s', (_, items, fault) => {
    expect(remoteCandidate(planOf(), sourceOf(story), items, 'stream')).toEqual({ kind: 'faulty', faults: [fault] });
  });
});

describe('the unary form', () => {
  const developer: Item = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'old rules' }] };
  const wrapper: Item = {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: '<environment_context>\n</environment_context>' }],
  };

  test('keeps of the output what may stay; the words are ours', () => {
    const answer = answered('Half done.').item;
    const { id: _, ...nameless } = answer;
    const output: readonly Item[] = [
      developer,
      wrapper,
      { ...last.item, id: 'msg_other' },
      { ...nameless, type: 'message' },
      hookPrompt.item,
      order.item,
      sealed,
      { type: 'reasoning', summary: [] },
      ...worked('9').map(({ item }) => item),
      { type: 'compaction_trigger' },
    ];
    const model = { family: 'model' };
    expect(afterWords(made(output, 'unary'))).toEqual([
      { item: { ...answer, id: `msg_0${'1'.padStart(35, '0')}` }, origin: model, turn },
      { item: order.item, origin: model, turn },
      { item: sealed, origin: model, turn },
    ]);
  });

  test('is refused when nothing may stay', () => {
    expect(remoteCandidate(planOf(), sourceOf(story), [developer, wrapper], 'unary')).toEqual({
      kind: 'faulty',
      faults: ['The provider sent nothing that could be kept.'],
    });
  });
});
