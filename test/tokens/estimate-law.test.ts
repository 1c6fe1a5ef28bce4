import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { requestTokens } from '../../src/core/history/window-usage.ts';
import { itemTokens } from '../../src/core/history/token-counts.ts';
import { textTokens } from '../../src/core/history/text-tokens.ts';
import type { Item } from '../../src/protocol/item.ts';
import { Dice } from './corpus/dice.ts';
import { kinds, mixture, type Writer } from './corpus/kinds.ts';

/** The bounds of an estimate, as a share of the tokens that a tokeniser counts for the JSON of a request. */
const least = 0.97;
const most = 1.25;
/** Names that are no words are hard to foresee; the space that is left when compaction begins covers them. */
const leastOfNames = 0.92;
/** A provider that counts bare texts finds less than there is in JSON, a fifth less in indented data. */
const mostOfBareText = 1.3;

const lengths = fc.constantFrom(2000, 3000, 6000, 12_000, 30_000);
const starts = fc.nat(2 ** 31);
/** The law is about means: the texts are always the same, so that it does not fail once in a thousand runs. */
const seed = 6;
const writers = { ...kinds, mixture };

/** Around a text in JSON. */
const quotes = 2;

const counted = (value: unknown): number => countTokens(JSON.stringify(value));

function expectClose(estimate: number, real: number, lowest = least): void {
  expect(estimate / real).toBeGreaterThanOrEqual(lowest);
  expect(estimate / real).toBeLessThanOrEqual(most);
}

const user = (text: string): Item => ({
  type: 'message',
  id: 'msg_0c3f',
  role: 'user',
  content: [{ type: 'input_text', text }],
});
const call = (cmd: string): Item => ({
  type: 'function_call',
  id: 'fc_51ab',
  name: 'exec_command',
  arguments: JSON.stringify({ cmd, workdir: '/workspace' }),
  call_id: 'call_7Hq2',
});
const output = (text: string): Item => ({
  type: 'function_call_output',
  id: 'fco_9d20',
  call_id: 'call_7Hq2',
  output: text,
});

describe.each(Object.entries<Writer>(writers))('the estimate of %s', (name, write) => {
  const lowest = name === 'names' ? leastOfNames : least;

  it('of a text is close to the count of its JSON, and not far above that of the bare text', () => {
    fc.assert(
      fc.property(starts, lengths, (start, length) => {
        const text = write(new Dice(start), length);
        expectClose(textTokens(text), counted(text) - quotes, lowest);
        expect(textTokens(text) / countTokens(text)).toBeLessThanOrEqual(mostOfBareText);
      }),
      { numRuns: 12, seed },
    );
  });

  it('of an item is close to the count of its JSON', () => {
    fc.assert(
      fc.property(starts, lengths, fc.constantFrom(user, output), (start, length, holder) => {
        const item = holder(write(new Dice(start), length));
        expectClose(itemTokens(item), counted(item), lowest);
      }),
      { numRuns: 6, seed },
    );
  });
});

it('the estimate of a request is close to the count of its JSON', () => {
  const tool = (name: string) => ({
    type: 'function',
    name,
    description: 'Looks for a word in the files of a folder and tells the lines that hold it.',
    strict: false,
    parameters: {
      type: 'object',
      properties: { word: { type: 'string', description: 'What to look for.' }, limit: { type: 'number' } },
      required: ['word'],
      additionalProperties: false,
    },
  });
  fc.assert(
    fc.property(starts, (start) => {
      const dice = new Dice(start);
      const steps = Array.from({ length: 12 }, () => [
        call(`grep -rn "${dice.pick(Object.keys(kinds))}" src/*.ts | head -n ${dice.below(90)}`),
        output(mixture(dice, 200 + dice.below(4000))),
      ]);
      const input = [user(kinds['english']!(dice, 400)), ...steps.flat()];
      const tools = [tool('search_files'), tool('list_matches')];
      const instructions = kinds['english']!(dice, 3000);
      expectClose(requestTokens({ instructions, tools, input }), counted({ instructions, tools, input }));
    }),
    { numRuns: 10, seed },
  );
});
