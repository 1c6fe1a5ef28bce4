import { expect, test } from 'vitest';
import { resolveConfig } from '../config.ts';
import { headerNotices } from './provider-config.ts';

test('a variable whose value cannot be sent is reported by its name, without its value', () => {
  const headers = { 'x-key': 'KEY', 'x-good': 'GOOD', 'x-unset': 'UNSET' };
  const provider = { base_url: 'http://x', env_http_headers: headers };
  const { config } = resolveConfig([{ name: 'user', source: 'c', values: { model_providers: { mine: provider } } }]);
  expect(headerNotices(config, 'mine', { KEY: 'hunter2\u2026', GOOD: 'g\n' })).toEqual([
    {
      code: 'header-left-out',
      message:
        'The variable KEY has a character that no header may have, so Capstan sends requests to mine without the header "x-key".',
      next: 'Set the variable again: a pasted "…", a line end or a quotation mark of another language may be in it.',
    },
  ]);
  expect(headerNotices(config, 'nobody', {})).toEqual([]);
});
