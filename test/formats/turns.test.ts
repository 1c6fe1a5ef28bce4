import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OwnTool } from '../../src/index.ts';
import { answer, callTool, cutAfter, hang, httpError, reason, say, type AnswerStep } from '../../src/testing/index.ts';
import { largePng } from '../harness/large-png.ts';
import { checkThread, FormatThread } from './format-thread.ts';
import { formats } from './formats.ts';

const lookUp: OwnTool = {
  name: 'look_up',
  description: 'Gives the meaning of a word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  run: ({ word }) => `${String(word)}: a kind of winch`,
};
const tools = { tools: [lookUp] };
const asks = (...asked: readonly string[]): AnswerStep =>
  answer({ items: [say('I look.'), ...asked.map((word) => callTool('look_up', { word }))], deltas: true });
const done = answer({ items: [say('Done.')], deltas: true });
const completed = { kind: 'completed', lastMessage: 'Done.' };

describe.each(formats)('a turn in $title', (format) => {
  it('has words, calls side by side, and their answers in order', async () => {
    const thread = await FormatThread.in(format, [asks('capstan', 'windlass'), asks('winch'), done]);
    await thread.open(tools);
    expect(await thread.live.turn('What are these?')).toEqual(completed);
    expect(thread.said(0).at(-1)).toEqual(['user', 'What are these?']);
    expect(thread.added(1)).toEqual([
      ['assistant', 'I look.'],
      ['call', 'look_up'],
      ['call', 'look_up'],
      ['output', 'capstan: a kind of winch'],
      ['output', 'windlass: a kind of winch'],
    ]);
    expect(thread.added(2)).toEqual([
      ['assistant', 'I look.'],
      ['call', 'look_up'],
      ['output', 'winch: a kind of winch'],
    ]);
    await checkThread(thread);
  });

  it('counts what it used', async () => {
    const thread = await FormatThread.in(format, [done]);
    await thread.open();
    await thread.live.turn('Hello?');
    const reasoningOutput = format.countsNoThoughts ? 0 : 3;
    expect(thread.live.told('turn-completed')).toMatchObject([
      { usage: { input: 100, cachedInput: 20, output: 10, reasoningOutput, total: 110 } },
    ]);
  });

  it('shows thoughts as they come, and keeps them', async () => {
    const thinks = answer({ items: [reason('Hm, well.'), say('Done.')], deltas: true });
    const thread = await FormatThread.in(format, [thinks, thinks]);
    await thread.open();
    const previews = new Map<string, string>();
    thread.live.thread.subscribe({
      provisional(event) {
        if (event.kind !== 'text' && event.kind !== 'reasoning') return;
        previews.set(event.itemId, (previews.get(event.itemId) ?? '') + event.text);
      },
    });
    await thread.live.turn('Think.');
    await thread.live.turn('Again.');
    const items = thread.live.told('item-completed').map(({ item }) => item);
    expect(items).toMatchObject([
      { kind: 'reasoning', summary: ['Hm, well.'] },
      { kind: 'agent-message', text: 'Done.' },
      { kind: 'reasoning', summary: ['Hm, well.'] },
      { kind: 'agent-message', text: 'Done.' },
    ]);
    // Each item has the name under which its pieces were shown.
    const texts = ['Hm, well.', 'Done.', 'Hm, well.', 'Done.'];
    expect([...previews]).toEqual(items.map(({ id }, at) => [id, texts[at]]));
    const sent = thread.added(1).filter(([who]) => who === 'thought');
    expect(sent).toEqual(format.returnsThoughts ? [['thought', 'Hm, well.']] : []);
    await checkThread(thread);
  });

  it('plans', async () => {
    const plan = { plan: [{ step: 'Read', status: 'in_progress' }] };
    const thread = await FormatThread.in(format, [answer({ items: [callTool('update_plan', plan)] }), done]);
    await thread.open();
    expect(await thread.live.turn('Plan.')).toEqual(completed);
    expect(thread.live.told('item-completed').map(({ item }) => item.kind)).toContain('plan');
    await checkThread(thread);
  });

  it('patches files, by free text or by a function', async () => {
    const input = '*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch\n';
    const patch = { type: 'custom_tool_call', name: 'apply_patch', input };
    const thread = await FormatThread.in(format, [answer({ items: [patch] }), done]);
    await thread.open();
    expect(await thread.live.turn('Write.')).toEqual(completed);
    expect(readFileSync(join(thread.live.place.workspace, 'a.txt'), 'utf8')).toBe('hello\n');
    expect(thread.added(1).map(([who]) => who)).toEqual(['call', 'output']);
    await checkThread(thread);
  });

  it('looks at pictures: those of the user, and those that a tool returns', async () => {
    const look = answer({
      items: [callTool('view_image', { path: 'a.png' }), callTool('view_image', { path: 'a.png' })],
    });
    const thread = await FormatThread.in(format, [look, done, done]);
    const png = largePng(8, 8);
    writeFileSync(join(thread.live.place.workspace, 'a.png'), png);
    await thread.open();
    const url = `data:image/png;base64,${png.toString('base64')}`;
    const input = { author: 'user' as const, text: 'Look.', images: [{ path: 'a.png', dataUrl: url }] };
    expect(await thread.live.turn('', { input })).toEqual(completed);
    expect(thread.said(0).filter(([who]) => who === 'picture')).toEqual([['picture', url]]);
    expect(thread.added(1).filter(([who]) => who === 'picture')).toEqual([
      ['picture', url],
      ['picture', url],
    ]);
    await thread.live.turn('And now?');
    await checkThread(thread);
  });

  it('continues a resumed thread with the same bytes', async () => {
    const thread = await FormatThread.in(format, [asks('capstan'), done, done, asks('winch'), done]);
    await thread.open(tools);
    await thread.live.turn('One?');
    await thread.open(tools);
    await thread.live.turn('Two?');
    await thread.open(tools);
    expect(await thread.live.turn('Three?')).toEqual(completed);
    expect(thread.live.told('prefix-broken')).toEqual([]);
    await checkThread(thread);
  });

  it('is interrupted, and the next one runs', async () => {
    const thread = await FormatThread.in(format, [hang({ afterBytes: 400, of: asks('capstan') }), done]);
    await thread.open(tools);
    const stop = new AbortController();
    const turn = thread.live.turn('Stop!', { signal: stop.signal });
    await thread.live.model.request(0);
    stop.abort();
    expect(await turn).toMatchObject({ kind: 'aborted' });
    expect(await thread.live.turn('Go on.')).toEqual(completed);
    expect(thread.said(1).filter(([who]) => who === 'call')).toEqual([]);
    await checkThread(thread);
  });

  it.each([
    ['429', httpError({ status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'slow down' } } })],
    ['500', httpError({ status: 500, body: { error: { message: 'oops' } } })],
    ['cut before the head', cutAfter({ bytes: 0, of: done })],
    ['cut in the middle', cutAfter({ bytes: 150, of: asks('capstan') })],
  ])('is asked again after a fault: %s', async (_, fault) => {
    const thread = await FormatThread.in(format, [fault, done]);
    await thread.open(tools);
    expect(await thread.live.turn('Hello?')).toEqual(completed);
    expect(thread.live.model.requests.length).toBe(2);
    expect(thread.said(1)).toEqual(thread.said(0));
    await checkThread(thread);
  });

  it('fails for what the server says, and the next one runs', async () => {
    const refused = httpError({ status: 401, body: { error: { message: 'Who are you?' } } });
    // Over a WebSocket a new connection is tried once, with a key that may be newer.
    const thread = await FormatThread.in(format, [refused, ...(format.isSocket === true ? [refused] : []), done]);
    await thread.open();
    expect(await thread.live.turn('Hello?')).toMatchObject({ kind: 'failed', outcome: { code: 'unauthorized' } });
    expect(await thread.live.turn('Hello?')).toEqual(completed);
    await checkThread(thread);
  });
});
