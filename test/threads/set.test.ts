import { mkdirSync, realpathSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { scene, threadId } from '../harness/scene.ts';

const yes = () => answer({ items: [say('Yes.')] });

describe('capstan threads set', () => {
  it('changes what the next turn starts from, says so, and resume says what it took up', async () => {
    const { model, place } = await scene(yes);
    const id = threadId(await place.run('exec', '--json', 'first words'));
    const there = join(realpathSync(place.workspace), 'there');
    mkdirSync(there);
    const wanted = ['--model', 'gpt-5.4', '--effort', 'high', '--cd', 'there', '--sandbox', 'read-only'];
    const more = ['--approval', 'untrusted', '--personality', 'friendly', '--mode', 'plan'];
    const set = await place.run('threads', 'set', id, ...wanted, ...more);
    expect([set.code, set.stderr]).toEqual([0, '']);
    expect(set.stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      `Thread ${id}, from its next turn on:`,
      ` folder ${place.workspace} -> ${there}`,
      ' approval on-request -> untrusted',
      ' sandbox workspace-write -> read-only',
      ' model gpt-5.5 -> gpt-5.4',
      ' effort default of the model -> high',
      ' mode default -> plan',
      ' personality default -> friendly',
      '',
    ]);
    const again = await place.run('threads', 'set', id.slice(0, 13), '--model', 'gpt-5.4', '--json');
    expect(again.stdout).toBe(`{"thread_id":"${id}","changed":{}}\n`);
    // Not --last: the thread does not work here any more.
    const back = await place.run('threads', 'set', id, '--effort', 'default', '--json');
    expect(back.stdout).toBe(`{"thread_id":"${id}","changed":{"effort":{"from":"high","to":null}}}\n`);

    const resumed = await place.run('exec', '--json', '--context-events', '-v', 'resume', id, 'second words');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(model.requests[1]!.body).toMatchObject({ model: 'gpt-5.4' });
    expect(model.requests[1]!.body['reasoning']).not.toHaveProperty('effort', 'high');
    expect(resumed.events.find(({ type }) => type === 'thread.settings')).toMatchObject({
      cause: 'resumed',
      settings: { model: 'gpt-5.4', cwd: there },
      restored: {
        from: 'settings',
        turn_id: place.lines().find(({ type }) => type === 'turn_context')!.payload['turn_id'],
        names: ['model', 'provider', 'cwd', 'sandbox', 'collaboration', 'personality'],
      },
    });
    expect(resumed.stderr).toContain(`thread ${id} · gpt-5.4 via scripted · plan mode, read-only\n`);
    expect(resumed.stderr).toContain(
      '\nfrom the last change of its settings: model, provider, folder, sandbox, mode, personality · ',
    );
    const flags = await place.run('exec', '-v', '-m', 'gpt-5.5', 'resume', id, 'third words');
    expect(flags.stderr).toMatch(/^from its last turn: provider, .*sandbox/m);
  });

  it('changes nothing when a part of it is refused, and says why', async () => {
    const { place } = await scene(yes);
    const id = threadId(await place.run('exec', '--json', 'first words'));
    const lines = place.lines().length;
    const refused = async (...words: readonly string[]) => {
      const { code, stdout, stderr } = await place.run('threads', 'set', ...words);
      return [code, stdout, stderr.split('\n')[0]];
    };
    expect(await refused(id, '--model', 'other', '--sandbox', 'open')).toEqual([
      1,
      '',
      expect.stringMatching(/sandbox of a change of settings must be one of "read-only".*not "open"/),
    ]);
    expect(await refused(id, '--cd', 'nowhere')).toEqual([1, '', expect.stringContaining('nowhere does not exist')]);
    expect(await refused(id)).toEqual([
      2,
      '',
      'capstan: threads set: nothing to change. Name a setting, for example --model.',
    ]);
    expect(await refused('--model', 'x')).toEqual([2, '', expect.stringContaining('which thread?')]);
    expect(await refused('no such name', '--model', 'x')).toEqual([1, '', expect.stringContaining('no such name')]);
    expect(place.lines()).toHaveLength(lines);
  });

  it('gives a thread whose folder has moved its new one', async () => {
    const { place } = await scene(yes);
    const [old, moved] = ['old', 'moved'].map((name) => join(place.root, name));
    mkdirSync(old!);
    const id = threadId(await place.run('exec', '--json', '--skip-git-repo-check', '-C', old!, 'first words'));
    renameSync(old!, moved!);
    expect(await place.run('exec', 'resume', id, 'words')).toMatchObject({ code: 1 });
    const set = await place.run('threads', 'set', id, '--cd', moved!);
    expect([set.code, set.stderr]).toEqual([0, '']);
    const resumed = await place.run('exec', 'resume', id, 'words');
    expect([resumed.code, resumed.stderr], resumed.stderr).toEqual([0, expect.stringContaining(`in ${moved}`)]);
  });
});
