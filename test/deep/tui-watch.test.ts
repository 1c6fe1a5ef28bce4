import { beforeAll, expect, it } from 'vitest';
import { answer, hang, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';

beforeAll(requireTmux);

it('a second window watches what the first one writes, and continues when that was killed', async () => {
  const { place, model } = await scene([
    answer({ items: [say('First answer.')], deltas: true }),
    answer({ items: [say('Second answer.')], deltas: true }),
    hang({ afterBytes: 0, of: answer({ items: [say('never')] }) }),
    answer({ items: [say('Third answer.')], deltas: true }),
  ]);
  const writer = new TmuxShell(place, 60, 24);
  writer.start();
  await writer.sees('Context 100% left');
  writer.type('One.');
  writer.press('Enter');
  await writer.sees('• First answer.');
  const pid = writer.child();
  const watcher = new TmuxShell(place, 110, 30);
  watcher.start('resume', '--last');
  const asked = await watcher.sees('is being written by');
  expect(asked).toMatch(new RegExp(`capstan \\(another terminal, process ${pid}, since \\d{4}-`));
  await watcher.answer('1');
  await watcher.sees('Watching only: capstan', 'screen');
  writer.type('Two.');
  writer.press('Enter');
  await watcher.sees('• Second answer.');
  writer.type('Hang.');
  writer.press('Enter');
  await model.request(2);
  await watcher.sees('› Hang.');
  process.kill(pid, 'SIGKILL');
  await watcher.sees('has ended', 'screen');
  await watcher.answer('1');
  await watcher.sees('Context', 'screen');
  watcher.type('Go on.');
  watcher.press('Enter');
  const rows = await watcher.sees('• Third answer.');
  for (const words of ['First answer.', 'Second answer.', '› One.', '› Two.', '› Hang.'])
    expect(rows.split(words)).toHaveLength(2);
});
