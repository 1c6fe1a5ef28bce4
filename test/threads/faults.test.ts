import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf, threadId } from '../harness/scene.ts';

const wait = callTool('exec_command', { cmd: 'while [ ! -e go ]; do sleep 0.05; done; echo done' });

describe('a thread file that', () => {
  it('is removed in the middle of a turn: the turn ends and says so', async () => {
    const { model, place } = await scene([answer({ items: [wait] }), answer({ items: [say('Yes.')] })]);
    const live = place.start(['exec', '--json', 'one']);
    await live.printed('"type":"item.started"');
    const [path] = place.rollouts();
    rmSync(path!);
    writeFileSync(join(place.workspace, 'go'), '');
    const run = await live.finished;
    expect([run.code, run.events.at(-1)?.['type'], model.requests.length]).toEqual([1, 'turn.failed', 1]);
    expect(run.stderr).toContain(`Cannot save the thread file ${path}: ENOENT`);
    expect(existsSync(path!)).toBe(false);
    const next = await place.run('exec', 'resume', threadId(run), 'two');
    expect([next.code, next.stderr]).toEqual([1, expect.stringContaining(`There is no thread ${threadId(run)}.`)]);
  });

  it('is moved meanwhile continues where it is', async () => {
    const { model, place } = await scene([
      answer({ items: [wait] }),
      answer({ items: [say('Yes.')] }),
      answer({ items: [say('Yes.')] }),
    ]);
    const live = place.start(['exec', '--json', 'one']);
    await live.printed('"type":"item.started"');
    const [path] = place.rollouts();
    renameSync(path!, join(place.root, 'elsewhere'));
    writeFileSync(join(place.workspace, 'go'), '');
    const run = await live.finished;
    expect(run.code).toBe(0);
    renameSync(join(place.root, 'elsewhere'), path!);
    expect((await place.run('exec', 'resume', threadId(run), 'two')).code).toBe(0);
    expect(textsOf(inputOf(model, 2)).filter((text) => text === 'one' || text === 'Yes.' || text === 'two')).toEqual([
      'one',
      'Yes.',
      'two',
    ]);
  });

  it('has a torn end in a file that a fork continues from: neither the fork nor the mending is in the way', async () => {
    const { model, place } = await scene(() => answer({ items: [say('Yes.')] }));
    const id = threadId(await place.run('exec', '--json', 'one'));
    const [path] = place.rollouts();
    const whole = readFileSync(path!, 'utf8');
    writeFileSync(path!, `${whole}{"timestamp":"2026-`);
    const fork = JSON.parse((await place.run('threads', 'fork', id, '--json')).stdout) as { id: string };
    expect((await place.run('exec', 'resume', id, 'two')).code).toBe(0);
    expect((await place.run('exec', 'resume', fork.id, 'three')).code).toBe(0);
    const said = textsOf(inputOf(model, 2)).filter((text) => /^(one|two|three)$/.test(String(text)));
    expect([said, readFileSync(path!, 'utf8').startsWith(whole)]).toEqual([['one', 'three'], true]);
  });
});
