import { describe, expect, it } from 'vitest';
import { answer, hang, say } from '../../src/testing/index.ts';
import { runCodex, startCodex } from './codex.ts';
import { storedItems, textsOf } from './items.ts';
import { runCapstan, scene, startCapstan, threadOf } from './scene.ts';

describe('a thread has one writer', () => {
  it('Codex is refused while Capstan writes', async () => {
    const { model, place } = await scene([hang({ afterBytes: 0, of: answer({ items: [say('never')] }) })]);
    const writer = startCapstan(place, 'first words');
    await Promise.all([model.request(0), writer.printed('thread.started')]);
    const id = threadOf(writer);
    const lines = place.lines().length;
    const refused = await runCodex(place, 'resume', id, 'second words');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain(`thread ${id} already has an active writer`);
    expect(place.lines()).toHaveLength(lines);
    writer.child.kill('SIGINT');
    await writer.finished;

    model.push(answer({ items: [say('Now.')] }));
    const next = await runCodex(place, 'resume', id, 'third words');
    expect(next.code, next.stderr).toBe(0);
  });

  it('Capstan is refused while Codex writes', async () => {
    const { model, place } = await scene([hang({ afterBytes: 0, of: answer({ items: [say('never')] }) })]);
    const writer = startCodex(place, 'first words');
    await model.request(0);
    const id = threadOf(writer);
    const lines = place.lines().length;
    const refused = await runCapstan(place, 'resume', id, 'second words');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain(`Thread ${id} is being written by codex pid ${writer.child.pid}.`);
    expect(place.lines()).toHaveLength(lines);
    writer.child.kill('SIGINT');
    await writer.finished;

    model.push(answer({ items: [say('Now.')] }));
    const next = await runCapstan(place, 'resume', id, 'third words');
    expect(next.code, next.stderr).toBe(0);
  });

  it('of many that come at once each has its whole turn or none', async () => {
    const { place } = await scene(() => answer({ items: [say('Yes.')], firstByteDelayMs: 50 }));
    const id = threadOf(await runCapstan(place, 'first words'));
    // Codex makes its tables on its first run, and two that do so at once get in each other's way.
    await runCodex(place, 'resume', id, 'second words');
    const rounds = 4;
    const each = 2;
    let done = 2;
    for (let round = 0; round < rounds; round++) {
      const runs = Array.from({ length: each }, (_, i) => [`capstan ${round}-${i}`, `codex ${round}-${i}`]).flat();
      const ends = await Promise.all(
        runs.map(async (words) => {
          const run = words.startsWith('codex') ? runCodex : runCapstan;
          return { words, ...(await run(place, 'resume', id, words)) };
        }),
      );
      const [whole, none] = [ends.filter(({ code }) => code === 0), ends.filter(({ code }) => code !== 0)];
      const texts = textsOf(storedItems(place));
      for (const { words } of whole) expect(texts.filter((text) => text === words)).toEqual([words]);
      for (const { words, stderr } of none) {
        expect(stderr).toMatch(/already has an active writer|is being written by/);
        expect(texts).not.toContain(words);
      }
      expect(whole.length).toBeGreaterThan(0);
      done += whole.length;
    }
    const lines = place.lines();
    expect(lines.map(({ ordinal }) => ordinal)).toEqual(lines.map((_, index) => index));
    const kinds = lines.map(({ payload }) => payload['type']);
    expect(kinds.filter((kind) => kind === 'task_started' || kind === 'task_complete')).toEqual(
      Array.from({ length: done }, () => ['task_started', 'task_complete']).flat(),
    );
  });
});
