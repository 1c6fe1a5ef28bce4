import { join } from 'node:path';
import { expect, it } from 'vitest';
import { estimateTokens } from '../../src/core/fragments/text/truncate.ts';
import { answer, say } from '../../src/testing/index.ts';
import { skilledScene, skillText } from './skilled-scene.ts';

const yes = () => answer({ items: [say('Yes.')], usage: 'none' });

it.each([8000, 64_000, 1_000_000])(
  'in a window of %i tokens everything that is optional leaves space for the work and for a checkpoint',
  async (window) => {
    const config = `model_context_window = ${window}
model_instructions_file = "short.md"
features.memories = true
[plugins."wool@mkt"]`;
    const { live, skill, put } = await skilledScene(yes, { config });
    const { home, root } = live.place;
    put(join(home, 'short.md'), 'You write programs.');
    put(join(home, 'memories/memory_summary.md'), 'The user likes tabs. '.repeat(20_000));
    put(join(home, 'plugins/cache/mkt/wool/local/plugin.json'), '{"name": "wool"}');
    put(join(home, 'plugins/cache/mkt/wool/local/skills/dye/SKILL.md'), skillText('dye', 'Dyes. '.repeat(500)));
    for (let at = 0; at < 100; at++)
      skill(`skill-${at}`, `Number ${at}. ${'All about it. '.repeat(60)}`, 'Do it like this. '.repeat(5000));
    await live.open({ osHome: root, config: ['model="unheard-of"'] });
    expect(await live.turn('Use $skill-1, $skill-2, $skill-3 and @wool.')).toMatchObject({ kind: 'completed' });
    await live.turn('Go on.');
    const effective = window * 0.95;
    const context = live
      .rows(0)
      .flat()
      .filter((text) => text.startsWith('<'));
    expect(context.length).toBeGreaterThan(4);
    expect(sum(context.map(estimateTokens))).toBeLessThan(Math.min(60_000, effective * 0.5));
    expect(live.told('checkpoint-installed')).toEqual([]);
    expect(live.added(1).slice(1)).toEqual([['user', 'Go on.']]);
  },
);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
