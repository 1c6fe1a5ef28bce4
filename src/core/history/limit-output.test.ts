import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandOutput } from '../fragments/answers/commands-and-patches.ts';
import { type TextBudget, byteLength, truncateMiddle } from '../fragments/text/truncate.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { limitOutput } from './limit-output.ts';

const report = (output: string) => ({ seconds: 0.25, end: { kind: 'exited', exitCode: 0 } as const, output });

describe('limitOutput', () => {
  it('cuts what a tool did not cut', () => {
    const cut = limitOutput('x'.repeat(100_000), { mode: 'bytes', limit: 10_000 });
    expect(byteLength(cut)).toBeLessThan(12_100);
    expect(cut).toContain('chars truncated');
  });

  it.each([
    { mode: 'bytes', limit: 10_000 },
    { mode: 'tokens', limit: 2_500 },
  ] as const)('does not cut again what a command has cut already ($mode)', (budget) => {
    const output = commandOutput(report('line of output\n'.repeat(10_000)), budget);
    expect(limitOutput(output, budget)).toBe(output);
    expect(output.match(/truncated…/g)).toHaveLength(1);
    expect(output).toContain('Warning: truncated output (original token count: 37500)\nTotal output lines: 10000\n');
  });

  it('leaves short output alone', () => {
    expect(commandOutput(report('ok\n'), { mode: 'bytes', limit: 100 })).toBe(
      'Wall time: 0.2500 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nok\n',
    );
  });
});

describe('limitOutput of a text', () => {
  const lines = Array.from({ length: 150 }, (_, index) => `line ${index}`).join('\n');

  it('leaves one mark, also when a tool has cut to the same limit before', () => {
    const budget = { mode: 'tokens', limit: 50 } as const;
    for (const cut of [limitOutput(lines, budget), limitOutput(truncateMiddle(lines, budget), budget)]) {
      expect(cut.match(/…\d+ tokens truncated…/g)).toHaveLength(1);
      expect(byteLength(cut.replace(/…\d+ tokens truncated…/, ''))).toBeLessThanOrEqual(1.2 * 200);
    }
  });

  it('counts what is missing from the budget that it goes by', () => {
    expect(limitOutput('abcdef', { mode: 'tokens', limit: 0 })).toBe('…2 tokens truncated…');
    expect(limitOutput(`${'😀'.repeat(10)}\nsecond line with text\n`, { mode: 'tokens', limit: 6.5 })).toBe(
      '😀😀😀😀…8 tokens truncated… line with text\n',
    );
    expect(limitOutput('', { mode: 'bytes', limit: 0 })).toBe('');
  });
});

describe('limitOutput of parts', () => {
  const text = (words: string): JsonObject => ({ type: 'input_text', text: words });
  const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
  const encrypted = { type: 'encrypted_content', encrypted_content: 'x'.repeat(1000) };
  const sound = { type: 'input_audio', audio_url: 'data:audio/x;base64,AAAA' };

  it('changes nothing that fits', () => {
    const parts = [text('words'), image, sound, encrypted];
    expect(limitOutput(parts, { mode: 'tokens', limit: 100 })).toBe(parts);
  });

  it('keeps pictures and adds no words to them', () => {
    const parts = [image, image, encrypted];
    expect(limitOutput(parts, { mode: 'tokens', limit: 0 })).toBe(parts);
  });

  it('spends the budget from left to right, and counts what is left out', () => {
    const parts = [
      text('12345678'),
      image,
      text('a'.repeat(100)),
      encrypted,
      sound,
      text('late'),
      image,
      text('later'),
    ];
    expect(limitOutput(parts, { mode: 'tokens', limit: 5 })).toEqual([
      text('12345678'),
      image,
      text(`${'a'.repeat(8)}…21 tokens truncated…${'a'.repeat(8)}`),
      encrypted,
      image,
      text('[omitted 2 text items ...]'),
      text('[omitted 1 audio items ...]'),
    ]);
    expect(limitOutput([text('1234'), text('56789')], { mode: 'bytes', limit: 5 })).toEqual([
      text('1234'),
      text('5…3 chars truncated…9'),
    ]);
  });

  it('leaves out a recording that does not fit, and continues', () => {
    const long = { ...sound, audio_url: `data:audio/x;base64,${'A'.repeat(1000)}` };
    expect(limitOutput([sound, long, text('words')], { mode: 'tokens', limit: 40 })).toEqual([
      sound,
      text('words'),
      text('[omitted 1 audio items ...]'),
    ]);
  });

  it('keeps no more text than the budget, in its order, and every picture', () => {
    const part: fc.Arbitrary<JsonObject> = fc.oneof(fc.string().map(text), fc.constant(image), fc.constant(encrypted));
    const budgets: fc.Arbitrary<TextBudget> = fc.record({
      mode: fc.constantFrom('bytes', 'tokens'),
      limit: fc.nat(30),
    });
    fc.assert(
      fc.property(fc.array(part), budgets, (parts, budget) => {
        const kept = limitOutput(parts, budget);
        const words = kept.map((each) => String(each['text'] ?? '').replace(/…\d+ \w+ truncated…|^\[omitted.*$/, ''));
        const most = Math.ceil(budget.limit * 1.2) * (budget.mode === 'tokens' ? 4 : 1);
        expect(byteLength(words.join(''))).toBeLessThanOrEqual(most);
        const media = (each: JsonObject) => each['type'] !== 'input_text';
        expect(kept.filter(media)).toEqual(parts.filter(media));
        const texts = parts.filter((each) => !media(each));
        const whole = kept.filter((each) => texts.includes(each));
        expect(texts.slice(0, whole.length)).toEqual(whole);
      }),
    );
  });
});
