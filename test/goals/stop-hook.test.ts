import { expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { hook, hookedScene, prints } from '../hooks/hooked-scene.ts';

const done = (text: string) => answer({ items: [say(text)] });
const begin = answer({ items: [callTool('create_goal', { objective: 'All is done' })] });
const end = answer({ items: [callTool('update_goal', { status: 'complete' })] });
const config = 'features.goals = true';

it('a hook that ends the turn ends one with a goal, which the next turn takes up', async () => {
  const script = [begin, done('One.'), done('Two.'), end, done('All.')];
  const stop = `grep -q '"last_assistant_message":"One' || exit 0; ${prints({ continue: false, stopReason: 'Enough.' })}`;
  const { live, hookLines } = await hookedScene(script, { Stop: [hook(stop)] }, { config });
  expect(await live.turn('Set a goal.')).toEqual({ kind: 'completed', lastMessage: 'One.' });
  expect([live.model.requests.length, hookLines().length]).toEqual([2, 1]);
  expect(live.told('warning')).toEqual([]);
  expect(live.thread.state.goal?.status).toBe('active');

  expect(await live.turn('And now?')).toEqual({ kind: 'completed', lastMessage: 'All.' });
  expect(live.added(3).at(-1)).toEqual(['user', expect.stringContaining('The goal of this thread is still active')]);
  expect(live.thread.state.goal?.status).toBe('complete');
});
