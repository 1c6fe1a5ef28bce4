import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { checkPrefixes, checkRebuilt } from '../laws/prefix-law.ts';
import { type ScriptedTurn, sixtyTurns } from './sixty-turns-script.ts';
import { LongThread } from './sixty-turns-thread.ts';

it('sixty turns: each request continues from the one before, and tells what changed and nothing else', async () => {
  const long = await LongThread.start();
  await long.play(sixtyTurns);
  const lines = await long.thread.lines();
  await checkRebuilt(long.model, lines);
  await checkPrefixes(long.model, lines);

  const records = lines.filter(({ type }) => type === 'capstan_request').map(({ payload }) => payload);
  const broken = long.thread.events.flatMap((event) => (event.kind === 'prefix-broken' ? [event.breaks] : []));
  const declared = records.map(({ prefix }) => ((prefix ?? { breaks: [] }) as JsonObject)['breaks'] as JsonObject[]);
  expect(declared.filter((breaks) => breaks.length > 0)).toEqual(broken);

  const told = records.map((_, request) => {
    const turn = long.turnOf[request]!;
    const breaks = declared[request]!.map((each) =>
      [each['kind'], each['name'], each['what']].filter(Boolean).join(' '),
    );
    const title = `# Turn ${turn}: ${sixtyTurns[turn - 1]!.title}`;
    return [title, ...(breaks.length === 0 ? [] : [`Breaks: ${breaks.join(', ')}`]), ...long.news(request)].join(
      '\n\n',
    );
  });
  await expect(`${told.join('\n\n')}\n`).toMatchFileSnapshot('sixty-turns.txt');
});

const switches: readonly ScriptedTurn[] = [
  { title: 'A' },
  { title: 'B', world: { model: 'planner' } },
  { title: 'C', world: { model: 'blind' } },
  { title: 'C, rewritten', rewritten: true },
  { title: 'A', world: { model: 'gpt-5.5' } },
  { title: 'C', world: { model: 'blind' } },
];

it('a switch of models keeps the instructions and says which guidance holds; a rewrite starts anew', async () => {
  const long = await LongThread.start();
  await long.play(switches);
  const [first, planner, blind] = [
    'You are a model in a test.',
    'You are the planner.\nThink first.',
    'You are blind.',
  ];
  const turns = switches.map((_, index) => index + 1);
  expect(turns.map((turn) => long.bodyOf(turn)['instructions'])).toEqual([first, first, first, blind, blind, blind]);
  const retracts = 'Guidance given for earlier models, also in earlier messages of this kind, no longer holds.';
  const told = (model: string, holds: string): string =>
    `<model_switch>\nThe model is now "${model}". ${retracts} ${holds}\n</model_switch>`;
  const inPlace = 'This guidance holds in the place of the instructions at the start of the request:\n\n';
  expect(turns.map((turn) => long.switchesIn(turn))).toEqual([
    [],
    [told('planner', inPlace + planner)],
    [told('planner', inPlace + planner), told('blind', inPlace + blind)],
    [],
    [told('gpt-5.5', inPlace + first)],
    [told('gpt-5.5', inPlace + first), told('blind', 'The instructions at the start of the request hold.')],
  ]);
});

it('chosen instructions hold for every model, also after a rewrite', async () => {
  const long = await LongThread.start({ base: 'Be somebody else.' });
  await long.play(switches);
  for (const turn of switches.keys()) {
    expect([long.bodyOf(turn + 1)['instructions'], long.switchesIn(turn + 1)]).toEqual(['Be somebody else.', []]);
  }
});
