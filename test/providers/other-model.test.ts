import { describe, expect, it, test } from 'vitest';
import { isServedAs } from '../../src/engine/thread/request/request-warnings.ts';
import { answer, say } from '../../src/testing/index.ts';
import { FormatThread } from '../formats/format-thread.ts';
import { formats } from '../formats/formats.ts';
import { LiveThread } from '../harness/live-thread.ts';

const items = [say('Done.')];
const byHeader = (model: string) => answer({ items, headers: { 'openai-model': model } });
const byBody = (model: string) => answer({ items, model });

function warned(live: LiveThread): readonly string[] {
  return live.events.flatMap((event) =>
    event.kind === 'warning' && event.outcome.code === 'other-model' ? [event.outcome.message] : [],
  );
}

const words = (served: string): string => `gpt-5.5 was asked for, and scripted says that ${served} answers.`;

describe.each(formats)('$title', (format) => {
  it('a server that names another model in a header is reported once per thread and model', async () => {
    const script = ['gpt-5.5', 'small', 'small', 'small', 'tiny'].map(byHeader);
    const thread = await FormatThread.in(format, script);
    await thread.open();
    await thread.live.turn('one');
    expect(warned(thread.live)).toEqual([]);
    await thread.live.turn('two');
    await thread.live.turn('three');
    await thread.open();
    await thread.live.turn('four');
    await thread.live.turn('five');
    expect(warned(thread.live)).toEqual([words('small'), words('tiny')]);
  });

  it('so is one that names it in the answer, in formats that do', async () => {
    const thread = await FormatThread.in(format, ['gpt-5.5-2026-08-07', 'small'].map(byBody));
    await thread.open();
    await thread.live.turn('one');
    await thread.live.turn('two');
    expect(warned(thread.live)).toEqual(format.wire === 'responses' ? [] : [words('small')]);
  });
});

it('claims no cause, and an odd name says nothing', async () => {
  const live = await LiveThread.in([byHeader('a name with blanks'), byHeader('small')]);
  await live.turn('one');
  await live.turn('two');
  expect(live.events.filter(({ kind }) => kind === 'warning')).toEqual([
    {
      kind: 'warning',
      outcome: {
        code: 'other-model',
        message: words('small'),
        next: 'The provider does not say why. If you did not expect it, check the model and the settings of the provider.',
      },
    },
  ]);
});

test.each([
  ['gpt-5.5', 'gpt-5.5-2026-08-07', true],
  ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929', true],
  ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022', true],
  ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5', true],
  ['openai/gpt-5.5', 'gpt-5.5', true],
  ['qwen3', 'qwen3:latest', true],
  ['llama', '/models/Llama.gguf', true],
  ['gpt-4', 'gpt-4-0613', true],
  ['gpt-5.5', 'gpt-5.5-mini', false],
  ['gpt-5.5-mini', 'gpt-5.5', false],
  ['claude-sonnet-4-5', 'claude-sonnet-4', false],
  ['auto', 'gpt-5.5', false],
])('%s may be called %s: %s', (asked, served, is) => {
  expect(isServedAs(asked, served)).toBe(is);
});
