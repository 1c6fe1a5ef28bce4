import { expect, it } from 'vitest';
import { shownPipedInput, shownPreview, withPipedInput } from './turn-lines.ts';

it('people see no tags around what came on standard input', () => {
  const text = withPipedInput('Explain.', 'a <stdin>\nb');
  expect(text).toBe('Explain.\n\n<stdin>\na <stdin>\nb\n</stdin>');
  expect(shownPipedInput(text)).toBe('Explain.\n\n[Standard input]\na <stdin>\nb');
  expect(shownPipedInput('What is <stdin> in C?')).toBe('What is <stdin> in C?');
  expect(shownPreview('Explain. <stdin> a b </stdin>')).toBe('Explain. [Standard input] a b');
  expect(shownPreview('Explain. <stdin> a and mor…')).toBe('Explain. [Standard input] a and mor…');
  expect(shownPreview('Why is the tag <stdin> in the prompt?')).toBe('Why is the tag <stdin> in the prompt?');
});
