import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortenProviderText, modelFailure, withoutSecrets } from './model-failure.ts';

const secret = 'sk-0123456789abcdef';
const shown = (text: string): string => {
  const failure = modelFailure({
    cause: 'request',
    message: `The server said: ${shortenProviderText(text)}`,
  });
  return withoutSecrets(failure, [secret]).message;
};

test('a secret is not shown, whole or where the words of a server are cut', () => {
  expect(shown(`wrong key ${secret}!`)).toBe('The server said: wrong key <hidden>!');
  fc.assert(
    fc.property(fc.nat(5000), fc.nat(100), (before, after) => {
      expect(shown(`${'x'.repeat(before)}${secret}${'y'.repeat(after)}`)).not.toContain(secret.slice(0, 4));
    }),
    { numRuns: 300 },
  );
});

test('no place of the cut leaves a part of it', () => {
  const longest = Buffer.byteLength(shortenProviderText('x'.repeat(100_000))) - Buffer.byteLength('…');
  for (let kept = 1; kept <= secret.length; kept++) {
    const text = shown(`${'x'.repeat(longest - kept)}${secret}${'y'.repeat(50)}`);
    expect(text.includes(secret.slice(0, 4))).toBe(false);
  }
});

test('a key that is shorter than most words hides none of them', () => {
  const failure = modelFailure({ cause: 'request', message: 'the test of a proxy failed' });
  expect(withoutSecrets(failure, ['test', 'x'])).toBe(failure);
});
