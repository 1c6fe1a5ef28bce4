import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killWriters } from '../harness/kill-writers.ts';

test('every line that was promised before a SIGKILL is in the file, and no ordinal is used twice', async () => {
  const home = await mkdtemp(join(tmpdir(), 'capstan-kill-'));
  try {
    const { promised, kept, skipped } = await killWriters({ home, kills: 4 });
    expect(promised.length).toBeGreaterThan(4);
    expect(kept).toEqual(kept.map((_, index) => index));
    expect(promised.filter((ordinal) => ordinal >= kept.length)).toEqual([]);
    expect(promised).toEqual([...new Set(promised)].toSorted((one, other) => one - other));
    expect(skipped).toBe(0);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
