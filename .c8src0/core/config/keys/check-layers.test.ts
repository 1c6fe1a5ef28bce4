import { expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { resolveConfig } from '../config.ts';
import type { ConfigLayer } from '../layer-order.ts';

function problems(headers: JsonObject, above: JsonObject = {}) {
  const layer = (name: ConfigLayer['name'], source: string, provider: JsonObject): ConfigLayer => ({
    name,
    source,
    values: { model_providers: { mine: provider } },
  });
  const layers = [layer('user', '/home/config.toml', headers), layer('flags', 'command line', above)];
  return resolveConfig(layers).problems.map(({ severity, message, next }) => [severity, message, next]);
}

test('a header that cannot be sent is reported by its name and its file, without its value', () => {
  const next = 'Write it again by hand: a pasted "…", a line end or a quotation mark of another language may be in it.';
  expect(problems({ http_headers: { 'x-team': 'hunter2\u2026', 'x-good': 'g\u00e9\t' } })).toEqual([
    [
      'warning',
      '/home/config.toml: model_providers.mine.http_headers.x-team has a character that no header may have, so Capstan sends requests without this header.',
      next,
    ],
  ]);
  expect(problems({ http_headers: { 'x-team': 'hunter2\nx: y' } })).toHaveLength(1);
});

test('so is one whose name no header may have, also if a variable has its value', () => {
  const wrong = { 'my team': 'x' };
  for (const key of ['http_headers', 'env_http_headers']) {
    expect(problems({ [key]: wrong })).toEqual([
      [
        'warning',
        `/home/config.toml: model_providers.mine.${key}."my team" is not the name of a header, so Capstan sends requests without this header.`,
        'Write a name of letters, digits and hyphens, without blanks.',
      ],
    ]);
  }
});

test('a value that a higher layer replaces is not', () => {
  const wrong = { http_headers: { 'x-team': '\u2026' } };
  expect(problems(wrong, { http_headers: { 'x-team': 'core' } })).toEqual([]);
  expect(problems({ http_headers: { 'x-team': 'core' } }, wrong)).toHaveLength(1);
});

test('nor is one that a variable replaces, whatever the case of its name', () => {
  const http_headers = { 'x-team': '\u2026' };
  expect(problems({ http_headers, env_http_headers: { 'X-Team': 'TEAM' } })).toEqual([]);
  expect(problems({ http_headers }, { env_http_headers: { 'x-team': 'TEAM' } })).toEqual([]);
  expect(problems({ http_headers, env_http_headers: { 'x-other': 'TEAM' } })).toHaveLength(1);
});

test('one that the connection sets itself is reported', () => {
  expect(problems({ http_headers: { Host: 'example.com' }, env_http_headers: { 'content-length': 'LENGTH' } })).toEqual(
    ['http_headers.Host', 'env_http_headers.content-length'].map((key) => [
      'warning',
      `/home/config.toml: model_providers.mine.${key} is set by the connection itself, so Capstan sends requests without this header.`,
      'Remove it, or give the server another address in base_url.',
    ]),
  );
});
