import { describe, expect, it } from 'vitest';
import { explainMismatch } from './seek-lines.ts';

const file = ['function a() {', '  return 1;', '}', '', 'function b() {', '  return 2;', '}'];
const explain = (expected: readonly string[], atEnd = false) => explainMismatch({ fileLines: file, expected, atEnd });

describe('explainMismatch', () => {
  it('says where the lines stand when they come too early or not at the end', () => {
    expect(explain(['function b() {'])).toMatch(/^They stand at line 5, before the previous chunk/);
    expect(explain(['}', ''], true)).toBe('They stand at line 3, which is not the end of the file.');
  });

  it('shows what comes closest', () => {
    expect(explain(['function b() {', '  return 3;', '}'])).toBe(
      'The closest lines of the file are these, from line 5 on:\nfunction b() {\n  return 2;\n}',
    );
  });

  it('says nothing when nothing comes close', () => {
    expect(explain(['x', 'y', '}'])).toBeUndefined();
    expect(explain(['', 'x'])).toBeUndefined();
    expect(explainMismatch({ fileLines: [], expected: ['x'], atEnd: false })).toBeUndefined();
  });

  it('stays short', () => {
    const long = Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat(1000)}`);
    expect(
      explainMismatch({ fileLines: long, expected: [...long.slice(10, 400), 'x'], atEnd: false })?.length,
    ).toBeLessThan(2100);
  });
});
