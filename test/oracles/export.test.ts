import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import type { Line } from '../../src/protocol/line.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { runCodex } from './codex.ts';
import { codexInput, textsOf } from './items.ts';
import { runCapstan, scene, threadOf } from './scene.ts';

it('a fork of Codex, exported flat, continues in both programs without the file of its source', async () => {
  const { model, place } = await scene((request) =>
    answer({
      items: [
        JSON.stringify(request.body).includes('echo one') ? say('Yes.') : callTool('exec_command', { cmd: 'echo one' }),
      ],
    }),
  );
  const id = threadOf(await runCodex(place, 'first words'));
  const fork = threadOf(await runCodex(place, 'fork', id, 'second words'));
  await runCapstan(place, 'resume', fork, 'third words');
  const folder = join(place.root, 'exported');
  mkdirSync(folder);
  const exported = await place.run('threads', 'export', fork, '-o', folder);
  expect(exported.code, exported.stderr).toBe(0);
  const path = exported.stdout.trimEnd();

  // Another home: nothing is left of this one but its configuration.
  for (const name of ['sessions', 'state_5.sqlite', 'thread_history_1.sqlite', 'session_index.jsonl'])
    rmSync(join(place.home, name), { recursive: true, force: true });
  const day = join(place.home, 'sessions/2026/11/15');
  mkdirSync(day, { recursive: true });
  copyFileSync(path, join(day, basename(path)));
  const codex = await runCodex(place, 'resume', fork, 'fourth words');
  expect([codex.code, threadOf(codex)], codex.stderr).toEqual([0, fork]);
  const known = textsOf(codexInput(model, model.requests.length - 1).history);
  for (const words of ['first words', 'second words', 'third words', 'fourth words']) expect(known).toContain(words);
  const lines = readFileSync(join(day, basename(path)), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => (JSON.parse(line) as Line).ordinal)).toEqual(lines.map((_, index) => index));

  const capstan = await runCapstan(place, 'resume', fork, 'fifth words');
  expect(capstan.code, capstan.stderr).toBe(0);
  const replayed = await place.run('replay', fork, '--json');
  expect([replayed.code, JSON.parse(replayed.stdout)]).toMatchObject([0, { counts: { same: 2, different: 0 } }]);
});
