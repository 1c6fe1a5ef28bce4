import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import type { Finished, Place } from '../harness/run-capstan.ts';
import { runCodex } from './codex.ts';
import { inputOf, textsOf } from './items.ts';
import { runCapstan, scene, threadOf } from './scene.ts';

type Run = (place: Place, ...words: readonly string[]) => Promise<Finished>;

const head = (name: string, description: string): string => `---\nname: ${name}\ndescription: ${description}\n---\n`;

/** Skills as people write them, by their path in the home. */
const files: Readonly<Record<string, string>> = {
  'skills/knit/SKILL.md': `${head('knit', 'How to knit: with needles')}Knit it.\n`,
  'skills/deep/er/purl/SKILL.md': '---\ndescription: >\n  How to\n  purl\n---\nPurl.\n',
  'skills/quoted/SKILL.md': `${head('"quoted"', "'It''s so' # a comment")}Q.\n`,
  'skills/several/SKILL.md':
    '---\nname: several\ndescription: |\n  One.\n  Two.\nmetadata:\n  short-description: x\n---\n',
  'skills/mute/SKILL.md': '---\nname: mute\n---\nQ.\n',
  'skills/bare/SKILL.md': 'No head.\n',
  'skills/.hidden/SKILL.md': head('hidden', 'Hidden'),
  'skills/off/SKILL.md': `${head('off', 'Off')}Q.\n`,
  'skills/named/SKILL.md': `${head('named', 'Only named')}N.\n`,
  'skills/named/agents/openai.yaml': 'policy:\n  allow_implicit_invocation: false\n',
  'skills/twice-a/SKILL.md': head('twice', 'A'),
  'skills/twice-b/SKILL.md': head('twice', 'B'),
};

const flags = ['-c', 'skills.config=[{name="off", enabled=false}]', '-c', 'skills.bundled.enabled=false'];

/** Two turns of a program: the skills that it lists, and what it adds to messages that name some. */
async function turns(run: Run) {
  const { model, place } = await scene(() => answer({ items: [say('Yes.')] }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.home, path)), { recursive: true });
    writeFileSync(join(place.home, path), text);
  }
  const plain = (text: string): string => text.replaceAll(place.home, '~');
  const first = await run(place, ...flags, 'Use $knit, $named, $off and $twice at $HOME.');
  const purl = join(place.home, 'skills/deep/er/purl/SKILL.md');
  await run(place, ...flags, 'resume', threadOf(first), `Use [$purl](${purl}).`);
  const texts = textsOf(inputOf(model, 1)).map((text) => plain(String(text)));
  const lists = texts.filter((text) => text.startsWith('<skills_instructions>'));
  return {
    lists: lists.length,
    listed: listedIn(lists[0] ?? ''),
    added: texts.filter((text) => text.startsWith('<skill>') || text.startsWith('Use ')),
  };
}

/** Name, description and path of each, the roots put in. */
function listedIn(text: string): readonly string[] {
  const roots = [...text.matchAll(/^- `?(r\d+)`? = `?([^`\n]*)`?$/gm)];
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('- ') && line.endsWith(')') && line.includes('(file: '));
  return lines.map((line) =>
    roots.reduce((whole, [, alias, path]) => whole.replace(`(file: ${alias}/`, `(file: ${path}/`), line),
  );
}

it('the same skills are listed, and the same are read when a message names them', async () => {
  const [ours, theirs] = [await turns(runCapstan), await turns(runCodex)];
  expect(ours).toEqual(theirs);
  expect(ours.listed).toHaveLength(6);
  expect(ours.added.map((text) => text.split('\n').slice(0, 2).join(' '))).toEqual([
    'Use $knit, $named, $off and $twice at $HOME.',
    '<skill> <name>knit</name>',
    '<skill> <name>named</name>',
    expect.stringMatching(/^Use \[\$purl\]/),
    '<skill> <name>purl</name>',
  ]);
});
