import { expect, test } from 'vitest';
import { redactSecrets } from './redact-secrets.ts';

test.each([
  ['key sk-abcdefgh12345678 end', 'key [secret] end'],
  ['AKIAABCDEFGHIJKLMNOP', '[secret]'],
  ['Authorization: Bearer abcdefgh.ijkl', 'Authorization: Bearer [secret]'],
  ['postgres://me:hunter2@host/db', 'postgres://me:[secret]@host/db'],
  ['API_KEY="abc123def456"', 'API_KEY="[secret]"'],
  ['"password": "correct horse"', '"password": "[secret] horse"'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc', '[secret]'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----', '[secret]'],
  ['const token = readToken(file);', 'const token = readToken(file);'],
  ['the token: ${TOKEN}', 'the token: ${TOKEN}'],
  ['tokens are counted', 'tokens are counted'],
  ['it says MYSECRETVALUE twice', 'it says [secret] twice'],
])('%s', (text, shown) => {
  expect(redactSecrets(text, ['MYSECRETVALUE', 'short'])).toBe(shown);
});

test('takes no longer for hostile texts', () => {
  const hostile = ['-----BEGIN '.repeat(20_000), 'eyJ'.repeat(60_000), 'secret'.repeat(40_000), ':// '.repeat(50_000)];
  const before = performance.now();
  for (const text of hostile) redactSecrets(text);
  expect(performance.now() - before).toBeLessThan(4000);
});
