import { expect, test } from 'vitest';
import { memorySettings } from '../../core/config/memories.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { ThreadSummary } from '../../protocol/thread.ts';
import { threadsDueForNotes } from './thread-memories.ts';

const hourMs = 3_600_000;
const now = 1000 * hourMs;
const thread = (id: string, idleHours: number, more: Partial<ThreadSummary> = {}): ThreadSummary => ({
  id: id as ThreadId,
  location: id,
  preview: '',
  createdAt: 0,
  updatedAt: now - idleHours * hourMs,
  archived: false,
  compressed: false,
  turns: 1,
  totalTokens: 0,
  ...more,
});

test('threads that came to rest, not too long ago, and that no note is about', () => {
  const threads = [
    thread('own', 7),
    thread('busy', 5.9),
    thread('due', 6),
    thread('old', 241),
    thread('empty', 7, { turns: 0 }),
    thread('archived', 7, { archived: true }),
    thread('noted', 7),
    thread('used since', 7),
    thread('failed', 7),
    thread('failed long ago', 7),
  ];
  const usedAt = now - 7 * hourMs;
  const taken = new Map([
    ['noted', { usedAt, at: now, isFailed: false }],
    ['used since', { usedAt: usedAt - 1, at: now, isFailed: false }],
    ['failed', { usedAt, at: now - hourMs, isFailed: true }],
    ['failed long ago', { usedAt, at: now - 25 * hourMs, isFailed: true }],
  ]);
  const due = threadsDueForNotes(threads, taken, { rules: memorySettings(), now, except: 'own' as ThreadId });
  expect(due.map(({ id }) => id)).toEqual(['due', 'used since', 'failed long ago']);
});

test('numbers out of range count as the nearest in it', () => {
  expect(memorySettings({ maxRolloutAgeDays: 1000, minRolloutIdleHours: -3, maxRolloutsPerStartup: 0 })).toEqual({
    maxAgeMs: 90 * 24 * hourMs,
    minIdleMs: hourMs,
    perStart: 1,
    mostNotes: 256,
    maxUnusedMs: 30 * 24 * hourMs,
    skipsExternal: false,
  });
});
