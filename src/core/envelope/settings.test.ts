import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { unknownToolIn } from './settings.ts';

const tools = resolve(import.meta.dirname, '../../adapters/tools');

test('the names that a choice of tools may have are those of the tools that there are', () => {
  const sources = globSync('**/*.ts', { cwd: tools, exclude: (path) => path.endsWith('.test.ts') });
  const written = sources.flatMap((path) => [
    ...readFileSync(join(tools, path), 'utf8').matchAll(
      /\b(?:name(?::| =)|webSearch\(|functionSpec\(|windowTool\(|listing\(ports,)\s*'([a-z_]+)'/g,
    ),
  ]);
  const named = new Set(written.map(([, name]) => name));
  // Removes another form of the same tool.
  named.delete('web_search_unlimited');
  const unknown = unknownToolIn({ onlyTools: ['qqqqqqqqqqqq'] }, { names: [], prefixes: [] });
  const [, listed = ''] = /^Remove it, or use (.*)\.$/.exec(unknown?.next ?? '') ?? [];
  expect(new Set(listed.split(', '))).toEqual(named);
});
