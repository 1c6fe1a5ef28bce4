import { expect, test } from 'vitest';
import { connectionFailure } from './answer-failure.ts';

test.each([
  ['ECONNREFUSED', {}],
  ['ENOTFOUND', {}],
  ['ECONNRESET', {}],
  ['HPE_INVALID_CONSTANT', 'never'],
  ['HPE_HEADER_OVERFLOW', 'never'],
  ['EPROTO', 'never'],
  ['CERT_HAS_EXPIRED', 'never'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'never'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'never'],
])('%s', (code, retry) => {
  const failure = connectionFailure({ shown: 'https://x', setting: 'the address' }, code);
  expect([failure.code, failure.retry]).toEqual(['connection-failed', retry]);
  expect(failure.message).toContain(code);
});
