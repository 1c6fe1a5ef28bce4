import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
  'base64',
);
const plan = (...steps: readonly (readonly [string, string])[]) =>
  callTool('update_plan', { plan: steps.map(([step, status]) => ({ step, status })) });

describe('update_plan', () => {
  it('shows one list that is started, updated in place and completed with the turn', async () => {
    const { model, place } = await scene([
      answer({ items: [plan(['look', 'in_progress'], ['fix', 'pending'])] }),
      answer({ items: [plan(['look', 'completed'], ['fix', 'in_progress'])] }),
      answer({ items: [say('done')] }),
    ]);
    const run = await place.run('exec', '--json', 'x');
    const list = (...completed: readonly boolean[]) => ({
      id: 'item_0',
      type: 'todo_list',
      items: ['look', 'fix'].map((text, i) => ({ text, completed: completed[i] })),
    });
    expect(run.events.slice(2, -1)).toEqual([
      { type: 'item.started', item: list(false, false) },
      { type: 'item.updated', item: list(true, false) },
      { type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: 'done' } },
      { type: 'item.completed', item: list(true, false) },
    ]);
    expect(textsOf(inputOf(model, 2)).filter((text) => text === 'Plan updated')).toHaveLength(2);
  });

  it('says what is wrong with a plan', async () => {
    const { model, place } = await scene([
      answer({ items: [plan(['look', 'soon']), callTool('update_plan', {})] }),
      answer({ items: [say('ok')] }),
    ]);
    await place.run('exec', '--json', 'x');
    expect(textsOf(inputOf(model, 1)).slice(-2)).toEqual([
      expect.stringContaining('pending, in_progress, completed'),
      expect.stringContaining('`plan` must be a list'),
    ]);
  });
});

describe('view_image', () => {
  it('gives the model the picture, and names what it cannot show', async () => {
    const { model, place } = await scene([
      answer({
        items: ['a.png', 'gone.png', 'text.png', 'half.png', ''].map((path) => callTool('view_image', { path })),
      }),
      answer({ items: [say('ok')] }),
    ]);
    writeFileSync(join(place.workspace, 'real.png'), png);
    symlinkSync('real.png', join(place.workspace, 'a.png'));
    writeFileSync(join(place.workspace, 'text.png'), 'secret text');
    writeFileSync(join(place.workspace, 'half.png'), png.subarray(0, 40));
    const run = await place.run('exec', '--json', 'x');
    expect(run.code).toBe(0);
    const [shown, ...rest] = inputOf(model, 1)
      .slice(-5)
      .toSorted((a, b) => String(a['call_id']).localeCompare(String(b['call_id'])));
    expect(shown?.['output']).toEqual([
      { type: 'input_image', image_url: `data:image/png;base64,${png.toString('base64')}`, detail: 'high' },
    ]);
    expect(rest.map(({ output }) => output)).toEqual([
      expect.stringContaining('cannot be read'),
      expect.stringContaining('not an image'),
      expect.stringContaining('incomplete or damaged'),
      expect.stringContaining('`path` must be a string'),
    ]);
    expect(JSON.stringify(rest)).not.toContain('secret text');
  });

  it('says in plain output what it looked at, and what it could not', async () => {
    const { place } = await scene([
      answer({ items: [callTool('view_image', { path: 'a.png' }), callTool('view_image', { path: '/gone.png' })] }),
      answer({ items: [say('ok')] }),
    ]);
    const seen = join(place.workspace, 'a.png');
    writeFileSync(seen, png);
    const { stderr } = await place.run('exec', '--color=never', 'x');
    expect(stderr.split('\n').filter((line) => line.includes('.png'))).toEqual([
      `looked at ${seen}`,
      'not shown: The image /gone.png cannot be read: it does not exist.',
    ]);
  });
});
