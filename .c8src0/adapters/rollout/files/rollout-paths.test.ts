import { describe, expect, test } from 'vitest';
import type { ThreadId } from '../../../protocol/ids.ts';
import { localTime, parseRolloutName, rolloutPath } from './rollout-paths.ts';

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
const other = '01a1dcd4-0000-7000-8000-000000000001';

describe('the name of a rollout', () => {
  test('is made of the local date and time and the id', () => {
    const at = { year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7 };
    expect(rolloutPath('/home', id, at)).toBe(`/home/sessions/2026/03/04/rollout-2026-03-04T05-06-07-${id}.jsonl`);
  });

  test('takes the time of the process zone', () => {
    const date = new Date(2026, 0, 31, 23, 59, 58);
    expect(localTime(date.getTime())).toEqual({ year: 2026, month: 1, day: 31, hour: 23, minute: 59, second: 58 });
  });

  test('is read back with one id or two, plain or compressed', () => {
    const plain = { threadId: id, rolloutId: id, startedAt: '2026-03-04T05-06-07', compressed: false };
    expect(parseRolloutName(`rollout-2026-03-04T05-06-07-${id}.jsonl`)).toEqual(plain);
    expect(parseRolloutName(`rollout-2026-03-04T05-06-07-${id}.jsonl.zst`)).toEqual({ ...plain, compressed: true });
    expect(parseRolloutName(`rollout-2026-03-04T05-06-07-${id}_${other}.jsonl`)).toEqual({
      ...plain,
      rolloutId: other,
    });
  });

  test('is nothing else', () => {
    const wrong = [
      `rollout-2026-03-04T05-06-07-${id}.json`,
      `rollout-2026-03-04T05-06-${id}.jsonl`,
      `rollout-2026-03-04T05-06-07_${id}.jsonl`,
      `rollout-2026-03-04T05-06-07-${id}_.jsonl`,
      `rollout-2026-03-04T05-06-07-${id}_${other}_${other}.jsonl`,
      `rollout-2026-03-04T05-06-07-my-thread.jsonl`,
      `x-rollout-2026-03-04T05-06-07-${id}.jsonl`,
      `rollout-2026-03-04T05-06-07-${id}.jsonl.zst.tmp`,
    ];
    expect(wrong.filter((name) => parseRolloutName(name) !== undefined)).toEqual([]);
  });
});
