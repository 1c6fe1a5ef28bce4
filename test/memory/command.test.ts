import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeMemoryNote } from '../../src/adapters/gather/memory-files.ts';
import { scene } from '../harness/scene.ts';

it('shows what is remembered and what it cost, and clears it', async () => {
  const { place } = await scene([]);
  expect((await place.run('memory', 'show')).stdout).toBe('Nothing is remembered.\n');
  const folder = join(place.home, 'memories');
  mkdirSync(join(folder, 'rollout_summaries'), { recursive: true });
  writeFileSync(join(folder, 'memory_summary.md'), 'Likes tabs.\n');
  writeFileSync(join(folder, 'rollout_summaries/one.md'), 'One.\n');
  writeFileSync(join(folder, 'other.txt'), 'Mine.\n');
  const usedAt = Date.parse('2026-11-01T00:00:00Z');
  writeMemoryNote(place.home, { threadId: 'abc', kind: 'noted', usedAt, at: usedAt, text: 'x', tokens: 110 });
  writeFileSync(join(place.home, 'capstan/memories/torn.json'), '{"thread_id":"torn"');
  expect((await place.run('memory', 'show')).stdout).toBe(
    `${folder}\n\nLikes tabs.\n\nNotes about 1 thread, for 110 tokens:\n2026-11-01  abc  noted, 110 tokens\n`,
  );
  expect(JSON.parse((await place.run('memory', 'show', '--json')).stdout)).toEqual({
    folder,
    memory: '',
    summary: 'Likes tabs.\n',
    notes: [{ threadId: 'abc', kind: 'noted', usedAt, at: usedAt, text: 'x', tokens: 110 }],
  });
  const more = { kind: 'failed', usedAt, text: '', tokens: 1100 } as const;
  for (const [threadId, at] of [
    ['def', usedAt + 1],
    ['ghi', usedAt + 2],
  ] as const)
    writeMemoryNote(place.home, { ...more, threadId, at });
  expect((await place.run('memory', 'show')).stdout).toContain(
    'Notes about 1 of 3 threads, for 2,310 tokens:\n2026-11-01  ghi  failed, 1,100 tokens\n',
  );
  rmSync(join(place.home, 'capstan/memories/abc.json'));
  expect((await place.run('memory', 'show')).stdout).toContain('No notes about 2 threads, for 2,200 tokens:\n');
  expect((await place.run('memory', 'clear')).stdout).toBe('The memory is empty.\n');
  expect((await place.run('memory', 'show')).stdout).toBe('Nothing is remembered.\n');
});
