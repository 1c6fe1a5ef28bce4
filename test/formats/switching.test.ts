import { expect, it } from 'vitest';
import type { OwnTool } from '../../src/index.ts';
import {
  answer,
  callTool,
  type ItemDraft,
  reason,
  say,
  type ScriptStep,
  type ScriptStepOf,
} from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { rebuiltRequests } from '../laws/prefix-law.ts';
import { formats, speaking } from './formats.ts';

const lookUp: OwnTool = {
  name: 'look_up',
  description: 'Gives the meaning of a word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  run: ({ word }) => `${String(word)}: a kind of winch`,
};

/** In every turn: a thought, a call and a patch, then an answer. */
function script(): ScriptStepOf {
  let count = 0;
  return () => {
    const number = count++;
    const turn = Math.floor(number / 2);
    if (number % 2 === 1) return answer({ items: [say(`Answer ${turn}.`)] });
    const input = `*** Begin Patch\n*** Add File: ${turn}.txt\n+hello\n*** End Patch\n`;
    const patch = { type: 'custom_tool_call', name: 'apply_patch', input };
    return answer({ items: [reason(`Thought ${turn}.`), callTool('look_up', { word: `word ${turn}` }), patch] });
  };
}

it('a thread changes its format at every turn, and history stays one', async () => {
  const live = await LiveThread.in(script());
  const turns = [...formats, ...formats.toReversed(), ...formats];
  for (const [turn, format] of turns.entries()) {
    const id = `provider${formats.indexOf(format)}`;
    await live.open(speaking(format, { id, url: live.model.url }), { tools: [lookUp] });
    expect(await live.turn(`Question ${turn}?`)).toEqual({ kind: 'completed', lastMessage: `Answer ${turn}.` });
  }

  const conversation = turns.flatMap((_, turn) => [
    ['user', `Question ${turn}?`],
    ['call', 'look_up'],
    ['call', 'apply_patch'],
    ['output', `word ${turn}: a kind of winch`],
    ['output', expect.stringContaining(`${turn}.txt`)],
    ['assistant', `Answer ${turn}.`],
  ]);
  for (const [index, { body, decodedBytes }] of live.model.requests.entries()) {
    const turn = Math.floor(index / 2);
    const format = turns[turn]!;
    // Every request holds the whole conversation so far, in its own format.
    const said = format
      .said(body)
      .filter(([who, text]) => who !== 'developer' && who !== 'thought' && !text.startsWith('<'));
    expect(said).toEqual(conversation.slice(0, said.length));
    expect(said.length).toBe(turn * 6 + (index % 2 === 0 ? 1 : 5));
    expect(format.broken?.(body) ?? []).toEqual([]);
    // Thoughts of another provider are not in it: neither encrypted nor in words.
    const text = decodedBytes.toString('utf8');
    const others = turns.slice(0, turn).flatMap((each, at) => (each === format ? [] : [`Thought ${at}.`]));
    expect(others.filter((thought) => text.includes(thought))).toEqual([]);
  }

  await live.close();
  const rebuilt = (await rebuiltRequests(live.place.lines())).map(({ body }) => body);
  expect(rebuilt).toEqual(live.model.requests.map(({ bytes }) => bytes.toString('utf8')));
});

/** Changes its format at one and the same provider. */
async function sameProvider(
  steps: readonly ScriptStep[],
): Promise<{ live: LiveThread; open: (wire: string) => Promise<unknown> }> {
  const live = await LiveThread.in(steps, 'compaction.strategy = "remote"');
  const open = (wire: string): Promise<unknown> =>
    live.open(speaking({ ...formats[0]!, wire, capabilities: '{remote_compaction=true}' }));
  return { live, open };
}

it('an opaque checkpoint is opened when its maker is asked in a format that cannot carry it', async () => {
  const work = 'The parser reads one line. '.repeat(800);
  const checkpoint: ItemDraft = { type: 'compaction', encrypted_content: 'A'.repeat(900) };
  const { live, open } = await sameProvider([
    answer({ items: [say(work)] }),
    answer({ items: [checkpoint] }),
    answer({ items: [say('Yes.')] }),
  ]);
  await open('responses');
  await live.turn('Build the parser.');
  const signal = new AbortController().signal;
  expect(await live.thread.compact({ signal })).toMatchObject({ kind: 'installed', report: { strategy: 'remote' } });
  await open('chat');
  expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed' });
  const said = formats[1]!.said(live.model.requests[2]!.body);
  expect(said).toContainEqual(['user', 'Build the parser.']);
  expect(said).toContainEqual(['assistant', work]);
});

it('thoughts in words stay in the format in which they came, also at the same provider', async () => {
  const { live, open } = await sameProvider([
    answer({ items: [reason('Hm, well.'), say('Yes.')] }),
    answer({ items: [say('Yes.')] }),
    answer({ items: [say('Yes.')] }),
  ]);
  await open('chat');
  await live.turn('One?');
  await open('responses');
  await live.turn('Two?');
  expect(live.model.requests[1]!.decodedBytes.toString('utf8')).not.toContain('Hm, well.');
  await live.close();
  const rebuilt = (await rebuiltRequests(live.place.lines())).map(({ body }) => body);
  expect(rebuilt).toEqual(live.model.requests.map(({ bytes }) => bytes.toString('utf8')));
});

it('a refusal has words: the user reads them, and models of every format know them', async () => {
  const refusal: ItemDraft = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'refusal', refusal: 'I cannot help with that.' }],
  };
  const live = await LiveThread.in([
    answer({ items: [refusal] }),
    ...formats.map(() => answer({ items: [say('Yes.')] })),
  ]);
  await live.open(speaking(formats[0]!, { id: 'first', url: live.model.url }));
  expect(await live.turn('One?')).toEqual({ kind: 'completed', lastMessage: 'I cannot help with that.' });
  for (const [index, format] of formats.entries()) {
    if (format.wire === 'responses' && format.capabilities === undefined) continue;
    await live.open(speaking(format, { id: `provider${index}`, url: live.model.url }));
    await live.turn('And now?');
    expect(format.said(live.model.requests.at(-1)!.body)).toContainEqual(['assistant', 'I cannot help with that.']);
  }
});
