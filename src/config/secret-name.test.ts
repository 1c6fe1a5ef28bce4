import { expect, test } from 'vitest';
import { isSecretVariable, mayNameSecret } from './secret-name.ts';

test.each([
  ['OPENAI_API_KEY', true, true],
  ['DB_PASSWD', true, true],
  ['GH_TOKEN', true, true],
  ['Authorization', false, true],
  ['Set-Cookie', false, true],
  ['XDG_SESSION_DESKTOP', false, true],
  ['SSH_AUTH_SOCK', false, true],
  ['Accept', false, false],
])('%s: of a variable %s, of a header %s', (name, ofVariable, ofHeader) => {
  expect([isSecretVariable(name), mayNameSecret(name)]).toEqual([ofVariable, ofHeader]);
});
