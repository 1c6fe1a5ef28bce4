import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../../src/testing/index.ts';
import { dot } from '../dot.ts';
import { inputOf } from '../items.ts';
import { programs, stage, type Stage } from './stage.ts';

const ok = answer({ items: [say('ok')] });
const lastMessage = ({ model }: Stage, request = 0) => inputOf(model, request).at(-1)?.['content'];

function picture({ place }: Stage, name: string): string {
  const path = join(place.workspace, name);
  writeFileSync(path, Buffer.from(dot, 'base64'));
  return path;
}

function shown(path: string, number = 1) {
  return [
    { type: 'input_text', text: `<image name=[Image #${number}] path="${path}">` },
    { type: 'input_image', image_url: `data:image/png;base64,${dot}`, detail: 'high' },
    { type: 'input_text', text: '</image>' },
  ];
}

it.each(programs)('%s: words arrive as they are, with several parts set apart by a blank line', async (program) => {
  const set = await stage(program, [ok, ok]);
  const thread = set.start();
  const odd = '-c "quotes" $HOME `x`\n\ttabs, ümläüte, 漢字 \u{1f600} and\r\nnew lines';
  await thread.run(odd);
  await thread.run([
    { type: 'text', text: 'One.' },
    { type: 'text', text: 'Two.' },
  ]);
  expect([lastMessage(set, 0), lastMessage(set, 1)]).toEqual([
    [{ type: 'input_text', text: odd }],
    [{ type: 'input_text', text: 'One.\n\nTwo.' }],
  ]);
});

it.each(programs)('%s: a long prompt arrives whole', async (program) => {
  const set = await stage(program, [ok]);
  const long = 'A line of some length that is said again and again.\n'.repeat(10_000);
  await set.start().run(long);
  expect(lastMessage(set)).toEqual([{ type: 'input_text', text: long }]);
});

it.each(programs)('%s: pictures stand before the words, in a first turn and in a later one', async (program) => {
  const set = await stage(program, [ok, ok]);
  const [one, two] = [picture(set, 'one.png'), picture(set, 'two.png')];
  const thread = set.start();
  await thread.run([
    { type: 'text', text: 'Compare' },
    { type: 'local_image', path: one },
    { type: 'text', text: 'these.' },
    { type: 'local_image', path: two },
  ]);
  await thread.run([
    { type: 'local_image', path: two },
    { type: 'text', text: 'Again.' },
  ]);
  expect([lastMessage(set, 0), lastMessage(set, 1)]).toEqual([
    [...shown(one, 1), ...shown(two, 2), { type: 'input_text', text: 'Compare\n\nthese.' }],
    [...shown(two), { type: 'input_text', text: 'Again.' }],
  ]);
});

it('a picture may have a comma in its name, which Codex takes for two pictures', async () => {
  const set = await stage('capstan', [ok]);
  const path = picture(set, 'one,two.png');
  await set.start().run([
    { type: 'local_image', path },
    { type: 'text', text: 'Look.' },
  ]);
  expect(lastMessage(set)).toEqual([...shown(path), { type: 'input_text', text: 'Look.' }]);
});

it('a picture that is not there is an error, where Codex tells only the model', async () => {
  const { model, start } = await stage('capstan', [ok]);
  const turn = start().run([
    { type: 'text', text: 'Look.' },
    { type: 'local_image', path: '/no/such.png' },
  ]);
  await expect(turn).rejects.toThrow('exited with code 1: capstan: The image /no/such.png cannot be read');
  expect(model.requests).toEqual([]);
});

it.each(programs)('%s: a file that is no picture does not end the turn, and the model reads of it', async (program) => {
  const set = await stage(program, [ok]);
  const path = picture(set, 'text.png');
  writeFileSync(path, 'no picture at all');
  const turn = await set.start().run([
    { type: 'text', text: 'Look.' },
    { type: 'local_image', path },
  ]);
  expect(turn.finalResponse).toBe('ok');
  expect(JSON.stringify(set.model.requests[0]!.body['input'])).toContain('text.png');
});

it.each(programs)('%s: a turn without words is refused', async (program) => {
  const set = await stage(program, []);
  const path = picture(set, 'one.png');
  await expect(set.start().run('')).rejects.toThrow(/exited with code 1: .*no prompt/is);
  await expect(set.start().run([{ type: 'local_image', path }])).rejects.toThrow(/no prompt/i);
  expect(set.model.requests).toEqual([]);
});

/** Other runs on this machine have files of their own there. */
const schemaFiles = () => readdirSync(tmpdir()).filter((name) => name.startsWith('codex-output-schema-'));

it.each(programs)('%s: a schema holds for its turn, and its file is taken away', async (program) => {
  const before = new Set(schemaFiles());
  const { model, start } = await stage(program, [answer({ items: [say('{"word":"yes"}')] }), ok]);
  const thread = start();
  const outputSchema = {
    type: 'object',
    properties: { word: { type: 'string', enum: ['yes', 'no'] } },
    required: ['word'],
    additionalProperties: false,
  };
  const { finalResponse } = await thread.run('Yes or no?', { outputSchema });
  await thread.run('And why?');
  expect(JSON.parse(finalResponse)).toEqual({ word: 'yes' });
  expect(model.requests.map(({ body }) => body['text'])).toEqual([
    {
      verbosity: 'low',
      format: { type: 'json_schema', strict: true, name: 'codex_output_schema', schema: outputSchema },
    },
    { verbosity: 'low' },
  ]);
  expect(schemaFiles().filter((name) => !before.has(name))).toEqual([]);
});

it.each(programs)('%s: an answer that does not fit its schema is passed on', async (program) => {
  const { start } = await stage(program, [answer({ items: [say('plain text')] })]);
  const { finalResponse, items } = await start().run('Yes or no?', { outputSchema: { type: 'object' } });
  expect([finalResponse, items.map(({ type }) => type)]).toEqual(['plain text', ['agent_message']]);
});
