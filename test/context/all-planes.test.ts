import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { uncutContextTokens } from '../../src/core/envelope/window.ts';
import { sentTokens } from '../../src/core/fragments/text/truncate.ts';
import { words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say, startScriptedModel } from '../../src/testing/index.ts';
import { checkpointText, isCompaction, userTexts } from '../compaction/summariser.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { PlanesScene } from '../laws/planes-scene.ts';
import { firstPlanes } from '../laws/random-planes.ts';
import { isWorldText, partsOf, readWorld } from '../laws/world-reader.ts';
import { skillText } from '../skills/skilled-scene.ts';

const signal = new AbortController().signal;
const many = (count: number, name: string): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${name}_${at}`);

const windows = inject('runFactor') === 1 ? [8000, 128_000] : [8000, 16_000, 32_000, 128_000, 1_000_000];

it.each(windows)(
  'with all planes on, a window of %i tokens holds the first request and a compaction, and an unchanged turn adds no context',
  async (window) => {
    const model = await startScriptedModel((request) => {
      const texts = userTexts(request);
      const text = isCompaction(request)
        ? checkpointText(texts.at(-2) ?? '', texts.slice(-4, -1))
        : 'It is so. '.repeat(150);
      return answer({ items: [say(text)], usage: 'none' });
    });
    whenTestEnds(() => model.close());
    const world = {
      ...firstPlanes,
      memory: 'The user likes tabs. '.repeat(20_000),
      instructions: 'Be kind to all. '.repeat(5000),
      a: { tools: many(200, 'sew'), isUp: true },
      b: { tools: many(5, 'hem'), isUp: true },
      mode: 'plan',
      personality: 'friendly',
    } as const;
    const scene = new PlanesScene(model.url, world, `model_context_window = ${window}\n`);
    whenTestEnds(() => scene.end());
    await scene.start();
    for (const name of many(100, 'skill')) {
      const path = join(scene.place.home, 'skills', name, 'SKILL.md');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, skillText(name, `How to ${name}. ${'All about it. '.repeat(60)}`, 'Do this. '.repeat(5000)));
    }
    const thread = await scene.open();
    const turn = async (text: string): Promise<JsonObject> => {
      expect(await thread.run({ input: words(text), signal })).toMatchObject({ kind: 'completed' });
      return model.requests.at(-1)!.body;
    };
    const first = await turn('Use $skill_1, $skill_2 and @wool.');
    const skills = partsOf(first['input']).flatMap(({ text }) => (text.startsWith('<skill>') ? [text] : []));
    expect(skills).toEqual(
      ['skill_1', 'skill_2'].map((name) =>
        expect.stringMatching(
          new RegExp(`^<skill>\\n<name>${name}</name>\\n<path>.*/${name}/SKILL.md</path>\\n.*Read the rest`, 's'),
        ),
      ),
    );
    const second = await turn('Go on.');
    const told = readWorld(partsOf(first['input']));
    expect([
      told.memory,
      told.instructions,
      told.skills,
      Object.keys(told.deferred ?? {}),
      told.mode,
      told.session,
      told.plugins,
    ]).toEqual([
      expect.stringContaining('tabs'),
      { directory: scene.place.workspace, text: expect.stringContaining('kind') },
      { listed: expect.any(Object), left: expect.any(Number) },
      // Larger windows have room for all of them in the list of tools.
      window > 32_000 ? [] : ['mcp__a'],
      { name: 'plan', text: expect.any(String) },
      'A hook spoke.',
      true,
    ]);
    const texts = (body: JsonObject): readonly string[] =>
      partsOf(body['input']).flatMap((part) => (isWorldText(part) ? [part.text] : []));
    expect(texts(second)).toEqual(texts(first));
    expect(await thread.compact({ signal })).toMatchObject({ kind: 'installed' });
    const sizes = model.requests.map(({ body }) => sentTokens(JSON.stringify(body)));
    expect(sizes.length).toBeGreaterThanOrEqual(3);
    const effective = window * 0.95;
    for (const size of sizes) expect(size).toBeLessThan(effective);
    // A quarter of what can be cut is for the work.
    expect(sizes[0]).toBeLessThan(Math.min(60_000, effective - (effective - uncutContextTokens) / 4));
  },
);
