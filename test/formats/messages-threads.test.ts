import { describe, expect, it } from 'vitest';
import type { OwnTool } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import {
  answer,
  type AnswerStep,
  callTool,
  cutAfter,
  failed,
  incomplete,
  type ItemDraft,
  malformed,
  reason,
  say,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { long, requestKinds, talk, task } from '../compaction/talk.ts';
import { checkThread, FormatThread } from './format-thread.ts';
import { type Format, formats } from './formats.ts';
import { marksIn, PromptCache, wireBlocks } from './messages-rules.ts';

const format = formats.find(({ wire }) => wire === 'anthropic')!;
const responses = formats.find(({ wire }) => wire === 'responses')!;
const signal = new AbortController().signal;

const lookUp: OwnTool = {
  name: 'look_up',
  description: 'Gives the meaning of a word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  run: ({ word }) => `${String(word)}: a kind of winch`,
};
const tools = { tools: [lookUp] };
const claude = { config: ['model="claude-sonnet-4-5"'] };
const thinks = (text: string, signature: string): ItemDraft => ({
  type: 'reasoning',
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  encrypted_content: `anthropic/thinking:${signature}`,
});
const redacted: ItemDraft = {
  type: 'reasoning',
  summary: [],
  encrypted_content: 'anthropic/redacted_thinking:aGlkZGVu',
};
const asks = (word: string, ...before: readonly ItemDraft[]): AnswerStep =>
  answer({ items: [...before, callTool('look_up', { word })], deltas: true });
const done = answer({ items: [say('Done.')], deltas: true });
const completed = { kind: 'completed', lastMessage: 'Done.' };

const bodies = ({ live }: FormatThread): readonly JsonObject[] => live.model.requests.map(({ body }) => body);
const assistants = (body: JsonObject): readonly JsonObject[][] =>
  (body['messages'] as unknown as { role: string; content: JsonObject[] }[]).flatMap(({ role, content }) =>
    role === 'assistant' ? [content] : [],
  );

async function start(script: readonly ScriptStep[], config = ''): Promise<FormatThread> {
  const thread = await FormatThread.in(format, script, { config });
  return thread.open(tools, claude);
}

describe('thinking', () => {
  it('goes back as it came, over steps, turns and a resume', async () => {
    const thread = await start([
      asks('capstan', thinks('A capstan?', 'c2lnbmVkIDE='), redacted),
      answer({ items: [thinks('', 'c2lnbmVkIDI='), say('Done.')] }),
      done,
    ]);
    await thread.live.turn('What is it?');
    await thread.open(tools, claude);
    expect(await thread.live.turn('Sure?')).toEqual(completed);
    const call = { type: 'tool_use', id: 'call_1', name: 'look_up', input: { word: 'capstan' } };
    const first = [
      { type: 'thinking', thinking: 'A capstan?', signature: 'c2lnbmVkIDE=' },
      { type: 'redacted_thinking', data: 'aGlkZGVu' },
      call,
    ];
    const second = [
      { type: 'thinking', thinking: '', signature: 'c2lnbmVkIDI=' },
      { type: 'text', text: 'Done.' },
    ];
    expect(bodies(thread).map(assistants)).toEqual([[], [first], [first, second]]);
    expect(thread.live.told('prefix-broken')).toEqual([]);
    await checkThread(thread);
  });

  it('goes back to the model that had it alone, and is there again when that one comes back', async () => {
    const thread = await start([asks('capstan', thinks('A capstan?', 'c2ln')), done, done, done]);
    await thread.live.turn('What is it?');
    for (const model of ['claude-opus-4-6', 'claude-sonnet-4-5']) {
      expect(await thread.live.thread.overrideTurnContext({ model })).toMatchObject({ kind: 'changed' });
      expect(await thread.live.turn(`And you, ${model}?`)).toEqual(completed);
    }
    const thoughts = bodies(thread).map((body) => wireBlocks(body).filter(({ block }) => block['type'] === 'thinking'));
    expect(thoughts.map(({ length }) => length)).toEqual([0, 1, 0, 1]);
    expect(bodies(thread).map(({ model, thinking }) => [model, (thinking as JsonObject)['type']])).toEqual([
      ['claude-sonnet-4-5', 'enabled'],
      ['claude-sonnet-4-5', 'enabled'],
      ['claude-opus-4-6', 'adaptive'],
      ['claude-sonnet-4-5', 'enabled'],
    ]);
    await checkThread(thread);
  });

  it('is asked for with a budget that the model’s record allows', async () => {
    const thread = await start([done]);
    await thread.live.turn('Hello?');
    expect(bodies(thread)[0]).toMatchObject({
      model: 'claude-sonnet-4-5',
      max_tokens: 32_000,
      thinking: { type: 'enabled', budget_tokens: 10_000 },
    });
  });

  it('of an answer that broke off is not kept', async () => {
    const broken = asks('capstan', thinks('A capstan?', 'c2ln'));
    const script = [cutAfter({ bytes: 900, of: broken }), done, done];
    const thread = await start(script);
    expect(await thread.live.turn('What is it?')).toEqual(completed);
    await thread.live.turn('Sure?');
    expect(assistants(bodies(thread)[2]!)).toEqual([[{ type: 'text', text: 'Done.' }]]);
    await checkThread(thread);
  });
});

describe('the cache', () => {
  it('is read by every request of 30 turns, with at most four marks', async () => {
    const steps = Array.from({ length: 30 }, (_, turn): readonly ScriptStep[] =>
      turn % 3 === 0 ? [asks(`word ${turn}`, thinks(`Thought ${turn}`, 'c2ln')), done] : [done],
    );
    const thread = await start(steps.flat());
    for (let turn = 0; turn < 30; turn++) {
      if (turn % 10 === 9) await thread.open(tools, claude);
      expect(await thread.live.turn(`Turn ${turn}?`)).toEqual(completed);
    }
    expect(bodies(thread)).toHaveLength(40);
    const cache = new PromptCache();
    let before = 0;
    for (const body of bodies(thread)) {
      expect(marksIn(body)).toBeLessThanOrEqual(4);
      expect(cache.read(body)).toBeGreaterThanOrEqual(before);
      before = wireBlocks(body).length;
    }
    expect(thread.live.told('prefix-broken')).toEqual([]);
    await checkThread(thread);
  });

  it('counts what it gave and what it took', async () => {
    const usage = { input: 1000, cachedInput: 900, cacheWriteInput: 80, output: 55, reasoningOutput: 0, total: 1055 };
    const thread = await start([answer({ items: [say('Done.')], usage })]);
    await thread.live.turn('Hello?');
    expect(thread.live.told('turn-completed')).toMatchObject([{ usage }]);
  });
});

describe('what a server does wrong', () => {
  it.each([
    ['an overload in the stream', failed({ code: 'overloaded_error', message: 'Overloaded' })],
    ['an event that cannot be read', malformed({ of: asks('capstan') })],
  ])('%s: it is asked again', async (_, fault) => {
    const thread = await start([fault, done]);
    expect(await thread.live.turn('Hello?')).toEqual(completed);
    expect(thread.said(1)).toEqual(thread.said(0));
    await checkThread(thread);
  });

  it('an answer that breaks off after its first words: what was said stays, and the model goes on', async () => {
    const two = answer({ items: [say('First.'), say('Second.')] });
    const thread = await start([cutAfter({ bytes: 800, of: two }), done]);
    expect(await thread.live.turn('Hello?')).toEqual(completed);
    expect(thread.added(1)).toEqual([
      ['assistant', 'First.'],
      ['user', 'Continue.'],
    ]);
    await thread.live.close();
    expect(bodies(thread).flatMap((body) => format.broken!(body))).toEqual([]);
  });

  it.each([
    ['max_tokens', 'incomplete'],
    ['refusal', 'policy'],
  ])('%s: the turn fails, no half call runs, and the next turn runs', async (stop, code) => {
    const thread = await start([
      incomplete({ reason: stop, items: [say('I look.'), callTool('look_up', '{"word": "cap')] }),
      done,
    ]);
    expect(await thread.live.turn('Hello?')).toMatchObject({ kind: 'failed', outcome: { code } });
    expect(await thread.live.turn('Go on.')).toEqual(completed);
    expect(thread.said(1).filter(([who]) => who === 'call')).toEqual([]);
    await checkThread(thread);
  });

  it('pause_turn: the model continues in another step', async () => {
    const thread = await start([answer({ items: [say('I wait.')], endTurn: false }), done]);
    expect(await thread.live.turn('Hello?')).toEqual(completed);
    expect(bodies(thread)).toHaveLength(2);
  });
});

it('a thread changes between Responses and Messages at every turn, and each gets its own thoughts back', async () => {
  const id = (each: Format): string => (each === format ? 'messages' : 'responses');
  const script = Array.from({ length: 8 }, (_, turn): readonly ScriptStep[] => {
    const thought = turn % 2 === 0 ? reason(`Thought ${turn}.`) : thinks(`Thought ${turn}.`, `c2ln${turn}`);
    return [answer({ items: [thought, callTool('look_up', { word: `word ${turn}` })] }), done];
  }).flat();
  const thread = await FormatThread.in(format, script);
  const { live } = thread;
  const table = (each: Format): string =>
    `model_providers.${id(each)}={name="${id(each)}",base_url="${live.model.url}",wire_api="${each.wire}"}`;
  for (let turn = 0; turn < 8; turn++) {
    const each = turn % 2 === 0 ? responses : format;
    const model = each === format ? 'claude-sonnet-4-5' : 'gpt-5.5';
    const overrides = [table(responses), table(format), `model_provider="${id(each)}"`, `model="${model}"`];
    await live.open({ config: overrides }, tools);
    expect(await live.turn(`Question ${turn}?`)).toEqual(completed);
  }
  for (const [index, { body, path }] of live.model.requests.entries()) {
    const turn = Math.floor(index / 2);
    const isMessages = turn % 2 === 1;
    expect(path.endsWith(isMessages ? '/messages' : '/responses')).toBe(true);
    expect(isMessages ? format.broken!(body) : []).toEqual([]);
    const text = JSON.stringify(body);
    const own = Array.from({ length: turn }, (_, at) => at).filter((at) => at % 2 === turn % 2);
    const found = Array.from({ length: turn }, (_, at) => at).filter((at) => text.includes(`Thought ${at}.`));
    expect(found).toEqual(own);
    expect(text.includes('anthropic/thinking')).toBe(false);
  }
  await live.close();
  expect(live.place.lines().some(({ payload }) => JSON.stringify(payload).includes('anthropic/thinking:c2ln7'))).toBe(
    true,
  );
});

it('a checkpoint of a thread with thinking, and a thread that goes on after it', async () => {
  const steps = [asks('capstan', thinks('Hm.', 'c2ln'), say(long)), done, done];
  const thread = await FormatThread.in(format, talk(steps));
  await thread.open(tools, claude);
  await thread.live.turn(task);
  expect(await thread.live.thread.compact({ signal })).toMatchObject({
    kind: 'installed',
    report: { strategy: 'structured' },
  });
  expect(await thread.live.turn('Sure?')).toEqual(completed);
  expect(requestKinds(thread.live)).toEqual(['step', 'step', 'checkpoint', 'step']);
  // The checkpoint request begins as the conversation does, and the model is held to its form.
  expect(bodies(thread)[2]).toMatchObject({
    tool_choice: { type: 'none' },
    output_config: { format: { type: 'json_schema' } },
  });
  expect(assistants(bodies(thread)[3]!)).toEqual([]);
  await checkThread(thread);
});
