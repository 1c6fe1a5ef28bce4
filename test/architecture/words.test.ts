import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oddMessages, oddSentences } from './words.ts';

const root = join(import.meta.dirname, '../..');

function filesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith(ending));
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('messages use ordinary words', () => {
  expect(filesIn('src', '.ts').flatMap((path) => oddMessages(path, read(path)))).toEqual([]);
});

test('pages use ordinary words', () => {
  // Decisions are dated records. The page of fragments quotes text for the model.
  const isOther = (path: string): boolean => path.startsWith('docs/decisions/') || path === 'docs/fragments.md';
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...filesIn('docs', '.md')];
  expect(pages.filter((path) => !isOther(path)).flatMap((path) => oddSentences(path, read(path)))).toEqual([]);
});

test('the check reads strings, neither names nor comments, and text for the model for the common words alone', () => {
  const source = ["const mended = 'mended'; // somebody", 'const next = `Mend the file ${whoever}.`;'].join('\n');
  expect(oddMessages('src/a.ts', source)).toEqual(['src/a.ts:2 says "Mend": "fix" or "repair"']);
  expect(oddMessages('src/core/fragments/a.ts', source)).toEqual([]);
  const spoken = 'const text = `The talk above.`;';
  expect(oddMessages('src/core/fragments/a.ts', spoken)).toEqual([
    'src/core/fragments/a.ts:1 says "The talk": "the conversation"',
  ]);
  expect(oddSentences('a.md', 'Fine.\nGo on with it.')).toEqual(['a.md:2 says "Go on with": "resume" or "continue"']);
});
