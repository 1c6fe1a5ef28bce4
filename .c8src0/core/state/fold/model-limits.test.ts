import { expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { foldStepLimits, type ModelLimit, modelLimitsFromJson } from './model-limits.ts';

const who = { provider: 'p', model: 'm' };
const answered = (input: number, more: JsonObject = {}): JsonObject => ({
  ...who,
  outcome: 'done',
  usage: { input_tokens: input, total_tokens: input },
  ...more,
});
const refused = (named: unknown, more: JsonObject = {}): JsonObject =>
  ({
    ...who,
    outcome: 'failed',
    failure: 'context-window-exceeded',
    named_window: named,
    assumed_window: 100_000,
    ...more,
  }) as JsonObject;

type Row = readonly [payload: JsonObject, bytes?: number];

test.each<[string, readonly Row[], readonly ModelLimit[]]>([
  ['nothing of a line that says nothing', [[{}], [{ ...who, outcome: 'failed' }]], []],
  [
    'the largest request that was answered',
    [
      [answered(1000), 5000],
      [answered(3000), 9000],
      [answered(2000), 8000],
    ],
    [{ ...who, accepted: 9000, proven: 3000 }],
  ],
  [
    'no more than the body can hold of a count',
    [[answered(10_000_000), 9000]],
    [{ ...who, accepted: 9000, proven: 4500 }],
  ],
  [
    'the least that the body holds where nothing is counted',
    [[answered(0), 9000]],
    [{ ...who, accepted: 9000, proven: 900 }],
  ],
  ['nothing of the requests of a compaction', [[answered(3000, { purpose: 'compaction' }), 9000]], []],
  ['the window that a server names', [[refused(8192)]], [{ ...who, named: { tokens: 8192, assumed: 100_000 } }]],
  [
    'the same of a compaction',
    [[refused(8192, { purpose: 'compaction' })]],
    [{ ...who, named: { tokens: 8192, assumed: 100_000 } }],
  ],
  [
    'the newest of two windows',
    [[refused(8192)], [refused(4096)], [refused(16_384)]],
    [{ ...who, named: { tokens: 16_384, assumed: 100_000 } }],
  ],
  ['no window that no model has', [[refused(1000)], [refused(-5)], [refused(8192.5)], [refused('8192')]], []],
  [
    'no window that is smaller than what was answered',
    [[answered(9000), 40_000], [refused(8192)]],
    [{ ...who, accepted: 40_000, proven: 9000 }],
  ],
  [
    'no window any more when something larger was answered',
    [[refused(8192)], [answered(9000), 40_000]],
    [{ ...who, accepted: 40_000, proven: 9000 }],
  ],
  [
    'each model of each provider by itself',
    [[refused(8192)], [refused(4096, { model: 'n' })], [refused(2048, { provider: 'q' })]],
    [
      { ...who, named: { tokens: 8192, assumed: 100_000 } },
      { provider: 'p', model: 'n', named: { tokens: 4096, assumed: 100_000 } },
      { provider: 'q', model: 'm', named: { tokens: 2048, assumed: 100_000 } },
    ],
  ],
])('a fold keeps %s', (_, rows, limits) => {
  const folded = rows.reduce<readonly ModelLimit[]>(
    (known, [payload, bytes]) => foldStepLimits(known, payload, bytes),
    [],
  );
  expect(folded).toEqual(limits);
  expect(modelLimitsFromJson(JSON.parse(JSON.stringify({ model_limits: folded })) as JsonObject)).toEqual(folded);
});

test('a file that names any number of models fills nothing', () => {
  const lines = Array.from({ length: 100 }, (_, at) => refused(8192, { model: `m${at}` }));
  const folded = lines.reduce<readonly ModelLimit[]>((known, payload) => foldStepLimits(known, payload, 0), []);
  expect(folded.map(({ model }) => model)).toEqual(Array.from({ length: 16 }, (_, at) => `m${84 + at}`));
});

test('what a checkpoint carries is read as a claim', () => {
  const carried = [
    null,
    7,
    {},
    { provider: 'p' },
    { ...who, named: 3, proven: 'x' },
    { ...who, proven: 9000, named: { tokens: 8000, assumed: 100_000 } },
  ];
  expect(modelLimitsFromJson({ model_limits: carried })).toEqual([{ ...who }, { ...who, proven: 9000 }]);
});
