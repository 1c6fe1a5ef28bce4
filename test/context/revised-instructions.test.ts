import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
import { checkpointText, isCompaction, saysCheckpoint } from '../compaction/summariser.ts';
import { LiveThread } from '../harness/live-thread.ts';

const long = 'The parser reads one line at a time. '.repeat(300);

/** A thread whose model has these instructions in the catalogue. */
async function withInstructions(text: string, more = ''): Promise<LiveThread> {
  const live = await LiveThread.in(
    (request) =>
      isCompaction(request) ? saysCheckpoint(checkpointText('one', ['one'])) : answer({ items: [say(long)] }),
    `model_catalog_json = "models.json"\n${more}`,
  );
  publish(live, text);
  await live.open();
  return live;
}

/** A new release of the catalogue; threads that are opened from now on read it. */
function publish({ place }: LiveThread, text: string): void {
  writeFileSync(
    join(place.home, 'models.json'),
    JSON.stringify({
      models: [
        { slug: 'gpt-5.5', base_instructions: text },
        { slug: 'yours', base_instructions: 'Y.' },
      ],
    }),
  );
}

const told = (live: LiveThread, request: number) =>
  live
    .added(request)
    .flat()
    .filter((text) => text.startsWith('<model_switch>'));
const bases = ({ model }: LiveThread) => model.requests.map(({ body }) => body['instructions']);

const changed = (holds: string) =>
  `<model_switch>\nThe guidance for the model "gpt-5.5" has changed. Guidance given in earlier messages of this kind no longer holds. ${holds}\n</model_switch>`;
const inPlace = (text: string) =>
  `This guidance holds in the place of the instructions at the start of the request:\n\n${text}`;

it('new instructions of the model in use are told once, as a change, and the request begins as before', async () => {
  const live = await withInstructions('One.');
  await live.turn('one');
  publish(live, 'Two.');
  await live.open();
  await live.turn('two');
  await live.turn('three');
  publish(live, 'One.');
  await live.open();
  await live.turn('four');
  expect([0, 1, 2, 3].map((request) => told(live, request))).toEqual([
    [],
    [changed(inPlace('Two.'))],
    [],
    [changed('The instructions at the start of the request hold.')],
  ]);
  expect(bases(live)).toEqual(['One.', 'One.', 'One.', 'One.']);
});

it('the next checkpoint puts them at the start of the request, and nothing tells them a second time', async () => {
  const live = await withInstructions('One.');
  await live.turn('one');
  publish(live, 'Two.');
  await live.open();
  await live.turn('two');
  await live.thread.compact({ signal: new AbortController().signal });
  await live.turn('three');
  await live.open();
  await live.turn('four');
  const talk = live.model.requests.flatMap((request, i) => (isCompaction(request) ? [] : [i]));
  expect(talk.map((request) => bases(live)[request])).toEqual(['One.', 'One.', 'Two.', 'Two.']);
  expect(JSON.stringify(live.model.requests.at(-1)?.body['input'])).not.toContain('<model_switch>');
});

it('a switch to a model whose instructions are new as well is told as a switch alone', async () => {
  const live = await withInstructions('One.');
  await live.turn('one');
  await live.thread.overrideTurnContext({ model: 'yours' });
  await live.turn('two');
  publish(live, 'Two.');
  await live.open();
  await live.thread.overrideTurnContext({ model: 'gpt-5.5' });
  await live.turn('three');
  expect(told(live, 2)).toEqual([expect.stringMatching(/^<model_switch>\nThe model is now "gpt-5\.5"\..*Two\.\n/s)]);
});

it("the user's own instructions hold for every model and every release", async () => {
  const live = await withInstructions('One.', 'instructions = "Mine."');
  await live.turn('one');
  publish(live, 'Two.');
  await live.open();
  await live.turn('two');
  expect([told(live, 1), bases(live)]).toEqual([[], ['Mine.', 'Mine.']]);
});

it('a thread of an earlier version is not told again: what it was told is recorded, and the next change counts', async () => {
  const live = await withInstructions('One.');
  await live.turn('one');
  await live.rewrite((lines) =>
    lines.map((line) => {
      if (line.type !== 'world_state') return line;
      const { 'capstan.model': _, ...state } = line.payload['state'] as JsonObject;
      return { ...line, payload: { ...line.payload, state } };
    }),
  );
  publish(live, 'Two.');
  await live.open();
  await live.turn('two');
  publish(live, 'Three.');
  await live.open();
  await live.turn('three');
  expect([told(live, 1), told(live, 2)]).toEqual([[], [changed(inPlace('Three.'))]]);
});
