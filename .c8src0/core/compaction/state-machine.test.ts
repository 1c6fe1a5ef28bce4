import { describe, expect, it } from 'vitest';
import type { HistoryEntry, EntryOrigin } from '../history/entry.ts';
import { historyOf } from '../history/history.ts';
import { toSentItems } from '../history/sent-items.ts';
import { itemTokens } from '../history/token-counts.ts';
import type { ModelFailure, ModelFailureCode } from '../../ports/model.ts';
import type { TurnId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item.ts';
import { minimumCandidateSize } from './candidates/build-candidate.ts';
import { beginCompaction, type CompactionStep, continueCompaction, currentStage } from './state-machine.ts';
import type {
  CompactionPlan,
  CompactionBudget,
  CompactionSource,
  CompactionOutcome,
  CompactionRequest,
} from './plan/compaction-plan.ts';
import { noWork } from './plan/work-records.ts';

const user: EntryOrigin = { family: 'user' };
const model: EntryOrigin = { family: 'model' };
const context: EntryOrigin = { family: 'context', kinds: ['environment'], cause: 'initial' };

function says(id: string, role: string, text: string): Item {
  return { type: 'message', id, role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] };
}
function call(id: string): Item {
  return { type: 'function_call', id: `fc_${id}`, name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: id };
}
function output(id: string, size: number): Item {
  return {
    type: 'function_call_output',
    id: `fco_${id}`,
    call_id: id,
    output: 'word '.repeat(Math.round(size * 0.86)),
  };
}
/** Four items and about 1100 tokens. */
function turn(n: number, size = 1000): readonly HistoryEntry[] {
  return [
    { item: says(`msg_u${n}`, 'user', `Fix the parser, part ${n}.`), origin: user },
    { item: call(`c${n}`), origin: model },
    { item: output(`c${n}`, size), origin: { family: 'tool' } },
    { item: says(`msg_a${n}`, 'assistant', `Part ${n} is fixed.`), origin: model },
  ];
}
function sourceOf(entries: readonly HistoryEntry[]): CompactionSource {
  const history = historyOf(entries);
  return { history, input: toSentItems(history), work: noWork };
}
const twelve = sourceOf(Array.from({ length: 12 }, (_, n) => turn(n)).flat());

function planFor(source: CompactionSource, over: Partial<CompactionPlan> = {}, budget: Partial<CompactionBudget> = {}) {
  const before = source.input.reduce((sum, item) => sum + itemTokens(item), 0);
  const plan: CompactionPlan = {
    turnId: 'turn' as TurnId,
    trigger: 'auto',
    reason: 'context_limit',
    phase: 'pre_turn',
    strategy: 'structured',
    model: 'some',
    readAll: 'show all',
    placement: 'next-turn',
    ...over,
    budget: {
      request: 100_000,
      fixed: 500,
      words: 2000,
      pictures: 1000,
      answer: 1000,
      records: 500,
      before,
      context: 0,
      most: Math.floor(before * 0.8),
      gain: Math.floor(before * 0.8),
      ...budget,
    },
  };
  return plan;
}

const answer = (text: string, items: readonly Item[] = []): CompactionOutcome => ({ kind: 'answer', text, items });
const good = answer(
  JSON.stringify({
    intent_user_message: [
      'Parser in src/parse.ts.',
      '<VERBATIM_REQUEST_START>',
      'Fix the parser, part 11.',
      '<VERBATIM_REQUEST_END>',
      '<RECENT_USER_CONTEXT_START>',
      'Fix the parser, part 10.',
      '<RECENT_USER_CONTEXT_END>',
    ].join('\n'),
    summary: 'Twelve parts are fixed.\nRESUME_AT: run the tests',
  }),
);
const prose = answer('All parts are fixed; run the tests next.\nRESUME_AT: run the tests');
const empty = answer('');
const blob = answer('', [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'x'.repeat(4000) }]);
const failure = (code: ModelFailureCode): ModelFailure => ({
  code,
  message: `It was ${code}`,
  next: 'Try again.',
  retry: 'never',
});
const fails = (code: ModelFailureCode): CompactionOutcome => ({ kind: 'failed', failure: failure(code) });

const badRequest: CompactionOutcome = { kind: 'failed', failure: { ...failure('invalid-request'), status: 400 } };

/** Plays the outcomes; returns the requests, one word each, and the result. The last outcome is repeated. */
function play(plan: CompactionPlan, source: CompactionSource, outcomes: readonly CompactionOutcome[]) {
  const asked: string[] = [];
  const requests: CompactionRequest[] = [];
  const stages: ReturnType<typeof currentStage>[] = [];
  let step: CompactionStep = beginCompaction(plan, source);
  while (step.kind === 'request') {
    requests.push(step.request);
    stages.push(currentStage(step.state));
    asked.push(nameOf(step.request, source));
    step = continueCompaction(step.state, outcomes[Math.min(asked.length, outcomes.length) - 1]!);
  }
  return { asked, requests, stages, end: step };
}

function nameOf(request: CompactionRequest, { input }: CompactionSource): string {
  const { strategy, from, to, head, tail, stubbed, outputSchema } = request;
  const stage = /part \d+ of \d+/.exec(tail[0]?.text ?? '')?.[0];
  return [
    stage ?? strategy,
    ...(strategy === 'structured' && outputSchema === undefined ? ['freely'] : []),
    ...(from === 0 && to === input.length ? [] : [`${from}-${to}`]),
    ...(stubbed.length === 0 ? [] : [`without ${stubbed.join(' ')}`]),
    ...(head.length === 0 ? [] : ['after notes']),
    ...(tail.length > 1 ? ['again'] : []),
  ].join(' ');
}

function endOf(end: CompactionStep): string {
  if (end.kind === 'candidate') return end.candidate.strategy;
  if (end.kind === 'mechanical') return `mechanical, ${end.why.code}`;
  return end.kind === 'refused' ? `refused, ${end.outcome.code}` : end.kind;
}

type Row = [name: string, over: Partial<CompactionPlan>, outcomes: CompactionOutcome[], asked: string[], end: string];

describe('one request', () => {
  const manual = { trigger: 'manual' } as const;
  const plain = { strategy: 'plain' } as const;
  const remote = { strategy: 'remote' } as const;
  it.each<Row>([
    ['a good answer', {}, [good], ['structured'], 'structured'],
    ['once more', {}, [empty, good], ['structured', 'structured again'], 'structured'],
    ['then plain', {}, [empty, empty, prose], ['structured', 'structured again', 'plain'], 'plain'],
    [
      'then code alone',
      {},
      [empty],
      ['structured', 'structured again', 'plain'],
      'mechanical, compaction-answer-unusable',
    ],
    [
      'faulty answers go down by hand too',
      manual,
      [empty],
      ['structured', 'structured again', 'plain'],
      'mechanical, compaction-answer-unusable',
    ],
    ['plain', plain, [prose], ['plain'], 'plain'],
    ['plain once more', plain, [empty, prose], ['plain', 'plain again'], 'plain'],
    ['plain, then code', plain, [empty], ['plain', 'plain again'], 'mechanical, compaction-answer-unusable'],
    ['remote', remote, [blob], ['remote'], 'remote'],
    ['remote in one answer', { ...remote, remoteForm: 'unary' }, [blob], ['remote'], 'remote'],
    ['remote says nothing', remote, [empty, good], ['remote', 'structured'], 'structured'],
    ['remote is not there', remote, [fails('invalid-request'), good], ['remote', 'structured'], 'structured'],
    [
      'remote is not there, by hand',
      { ...remote, ...manual },
      [fails('invalid-request'), good],
      ['remote', 'structured'],
      'structured',
    ],
    ['remote, aborted', remote, [fails('aborted')], ['remote'], 'refused, aborted'],
    ['remote is not allowed', remote, [fails('unauthorized'), good], ['remote', 'structured'], 'structured'],
    ['remote, no key', remote, [fails('unauthorized')], ['remote', 'structured'], 'refused, unauthorized'],
    ['remote, no credit', remote, [fails('usage-limit')], ['remote'], 'refused, usage-limit'],
    ['aborted', {}, [fails('aborted')], ['structured'], 'refused, aborted'],
    ['no key', {}, [fails('unauthorized')], ['structured'], 'refused, unauthorized'],
    ['no credit', {}, [fails('usage-limit')], ['structured'], 'refused, usage-limit'],
    ['no network', {}, [fails('connection-failed')], ['structured'], 'refused, connection-failed'],
    ['ended early', {}, [fails('incomplete'), good], ['structured', 'structured again'], 'structured'],
    [
      'ended early by hand',
      manual,
      [fails('incomplete')],
      ['structured', 'structured again', 'plain'],
      'mechanical, compaction-answer-unusable',
    ],
    ['aborted in the repair', {}, [empty, fails('aborted')], ['structured', 'structured again'], 'refused, aborted'],
    ['no schema is taken', {}, [badRequest, good], ['structured', 'structured freely'], 'structured'],
    [
      'no schema is taken, by hand',
      manual,
      [badRequest, empty, good],
      ['structured', 'structured freely', 'structured freely again'],
      'structured',
    ],
    [
      'a bad request, whatever it asks for',
      {},
      [badRequest],
      ['structured', 'structured freely', 'plain'],
      'mechanical, invalid-request',
    ],
    ['a bad request by hand', manual, [badRequest], ['structured', 'structured freely'], 'refused, invalid-request'],
    ['a bad request, plain', plain, [badRequest], ['plain'], 'mechanical, invalid-request'],
    ...(
      ['policy', 'invalid-request', 'server-error', 'overloaded', 'rate-limited', 'stream-cut', 'stream-idle'] as const
    ).flatMap((code): Row[] => [
      [`${code}, then plain`, {}, [fails(code), prose], ['structured', 'plain'], 'plain'],
      [`${code}, then code`, {}, [fails(code)], ['structured', 'plain'], `mechanical, ${code}`],
      [`${code} by hand`, manual, [fails(code)], ['structured'], `refused, ${code}`],
      [`${code}, plain`, plain, [fails(code)], ['plain'], `mechanical, ${code}`],
      [`${code}, faulty before`, {}, [empty, fails(code), prose], ['structured', 'structured again', 'plain'], 'plain'],
    ]),
    ...(['answer-too-slow', 'answer-too-large'] as const).flatMap((code): Row[] => [
      [`${code}`, {}, [fails(code), good], ['structured'], `mechanical, ${code}`],
      [`${code}, plain`, plain, [fails(code), prose], ['plain'], `mechanical, ${code}`],
      [`${code}, remote`, remote, [fails(code), good], ['remote'], `mechanical, ${code}`],
      [`${code}, by hand`, manual, [fails(code), good], ['structured'], `refused, ${code}`],
      [`${code}, remote by hand`, { ...remote, ...manual }, [fails(code), good], ['remote'], `refused, ${code}`],
    ]),
  ])('%s', (_, over, outcomes, asked, end) => {
    const played = play(planFor(twelve, over), twelve, outcomes);
    expect({ asked: played.asked, end: endOf(played.end) }).toEqual({ asked, end });
  });
});

it.each<[string, Partial<CompactionPlan>, CompactionOutcome[], string]>([
  ['answers in no form', {}, [empty, empty, prose], 'The model did not answer in the form that Capstan asked for'],
  ['failed at first', {}, [fails('overloaded'), prose], 'so Capstan asked it for a plain summary'],
  ['remote, unusable', { strategy: 'remote' }, [empty, good], "could not use the provider's own checkpoint and asked"],
  ['remote, failed', { strategy: 'remote' }, [fails('overloaded'), good], 'so Capstan asked the model for one'],
])(
  'a checkpoint that a model made in another way says so, and not that there is none: %s',
  (_, over, outcomes, why) => {
    const { end } = play(planFor(twelve, over), twelve, outcomes);
    expect(end).toMatchObject({ kind: 'candidate', why: { message: expect.stringContaining(why) } });
  },
);

describe('requests', () => {
  it('are the history as it stands with the question at the end, and once more with what was wrong', () => {
    const focus = 'Keep the migration.';
    const { requests } = play(planFor(twelve, { focus }), twelve, [answer('not JSON'), good]);
    const whole = { strategy: 'structured', from: 0, to: 48, stubbed: [], head: [], outputSchema: expect.anything() };
    const question = { role: 'user', text: expect.stringContaining(focus) };
    expect(requests).toEqual([
      { ...whole, tail: [question] },
      {
        ...whole,
        tail: [question, { role: 'assistant', text: 'not JSON' }, { role: 'user', text: expect.any(String) }],
      },
    ]);
    expect(requests[1]!.tail[0]).toEqual(requests[0]!.tail[0]);
  });

  it('give back of an endless answer what shows its fault, and of an empty one nothing', () => {
    const endless = play(planFor(twelve), twelve, [answer('no '.repeat(100_000)), good]).requests[1]!;
    expect(itemTokens(says('x', 'assistant', endless.tail[1]!.text))).toBeLessThan(2300);
    const nothing = play(planFor(twelve), twelve, [empty, good]).requests[1]!;
    expect(nothing.tail.map(({ role }) => role)).toEqual(['user', 'user']);
  });

  it('shorten outputs for a provider that does it alone, newest first and over any item', () => {
    const most = planFor(twelve).budget.before;
    const remote = (request: number) => play(planFor(twelve, { strategy: 'remote' }, { request }), twelve, [blob]);
    expect(remote(most + 500).asked).toEqual(['remote']);
    expect(remote(most + 499).asked).toEqual(['remote without 46']);
    expect(remote(most - 1500).asked).toEqual(['remote without 38 42 46']);
    // Not even without any output.
    expect(remote(1200)).toMatchObject({ asked: [], end: { kind: 'mechanical' } });
  });
});

it('a focus must leave space for the history', () => {
  const asked = (words: number) =>
    play(planFor(twelve, { trigger: 'manual', focus: 'tests '.repeat(words) }), twelve, [good]);
  expect(endOf(asked(15_000).end)).toBe('structured');
  expect(asked(20_000)).toEqual({
    asked: [],
    requests: [],
    stages: [],
    end: {
      kind: 'refused',
      outcome: {
        code: 'focus-too-long',
        message: expect.stringMatching(/has about [\d,]+ tokens; .*25,000\. The history is unchanged\.$/),
        next: expect.any(String),
      },
    },
  });
});

describe('a history that does not fit one request', () => {
  /** Four turns fit a part. */
  const small = { request: 8800 } as const;
  const note = answer('What was done so far, in short.');

  it.each<Row>([
    [
      'is taken in parts, at the beginnings of turns, and the newest is the fullest',
      {},
      [note, note, good],
      ['part 1 of 3 0-16', 'part 2 of 3 16-32 after notes', 'structured 32-48 after notes'],
      'structured',
    ],
    [
      'plain',
      { strategy: 'plain' },
      [note, note, prose],
      ['part 1 of 3 0-16', 'part 2 of 3 16-32 after notes', 'plain 32-48 after notes'],
      'plain',
    ],
    [
      'continues with notes by code after an empty answer',
      { trigger: 'manual' },
      [empty, empty, good],
      ['part 1 of 3 0-16', 'part 2 of 3 16-32 after notes', 'structured 32-48 after notes'],
      'structured',
    ],
    [
      'continues with notes by code after a failure',
      { trigger: 'manual' },
      [fails('server-error'), note, good],
      ['part 1 of 3 0-16', 'part 2 of 3 16-32 after notes', 'structured 32-48 after notes'],
      'structured',
    ],
    [
      'ends after two failures in a row',
      {},
      [fails('server-error')],
      ['part 1 of 3 0-16', 'part 2 of 3 16-32 after notes'],
      'mechanical, server-error',
    ],
    [
      'and by hand stays',
      { trigger: 'manual' },
      [fails('server-error')],
      ['part 1 of 3 0-16', 'part 2 of 3 16-32 after notes'],
      'refused, server-error',
    ],
    [
      'stops in the middle',
      {},
      [note, fails('aborted')],
      ['part 1 of 3 0-16', 'part 2 of 3 16-32 after notes'],
      'refused, aborted',
    ],
    ['stops without a key', {}, [fails('unauthorized')], ['part 1 of 3 0-16'], 'refused, unauthorized'],
    ...(['answer-too-slow', 'answer-too-large'] as const).flatMap((code): Row[] => [
      [`asks no more after ${code}`, {}, [fails(code), note], ['part 1 of 3 0-16'], `mechanical, ${code}`],
      [
        `nor by hand after ${code}`,
        { trigger: 'manual' },
        [fails(code), note],
        ['part 1 of 3 0-16'],
        `refused, ${code}`,
      ],
    ]),
    [
      'names faults as ever',
      {},
      [note, note, empty],
      [
        'part 1 of 3 0-16',
        'part 2 of 3 16-32 after notes',
        'structured 32-48 after notes',
        'structured 32-48 after notes again',
        'plain 32-48 after notes',
      ],
      'mechanical, compaction-answer-unusable',
    ],
  ])('%s', (_, over, outcomes, asked, end) => {
    const played = play(planFor(twelve, over, small), twelve, outcomes);
    expect({ asked: played.asked, end: endOf(played.end) }).toEqual({ asked, end });
  });

  it('counts its stages, which a history that fits does not have', () => {
    const inParts = play(planFor(twelve, {}, small), twelve, [note, note, good]);
    const whole = play(planFor(twelve), twelve, [good]);
    expect([inParts.stages, whole.stages]).toEqual([[1, 2, 3].map((stage) => ({ stage, of: 3 })), [undefined]]);
  });

  const headsOf = (outcomes: readonly CompactionOutcome[]) =>
    play(planFor(twelve, {}, small), twelve, outcomes).requests.map(({ head }) => head[0]?.text);

  it('is told with the notes on what came before', () => {
    const [first, second, third] = headsOf([answer('Notes one.'), answer('Notes one and two.'), good]);
    expect(first).toBeUndefined();
    expect(second).toContain('Notes one.');
    expect(third).toContain('Notes one and two.');
    expect(third).not.toContain('Notes one.');
  });

  it('keeps notes that the next ones forgot', () => {
    const third = headsOf([answer('Notes with much in them. '.repeat(10)), answer('Hm.'), good])[2];
    expect(third).toContain('Notes with much in them.');
    expect(third).toContain('Hm.');
  });

  it('is noted by code where no model did', () => {
    expect(headsOf([empty, empty, good])[2]).toContain('- User: Fix the parser, part 7.');
  });

  it('is cut again, smaller, when the provider refuses', () => {
    const overflow = fails('context-window-exceeded');
    const first = play(planFor(twelve), twelve, [overflow, note, note, note, good]);
    expect({ asked: first.asked, end: endOf(first.end) }).toEqual({
      asked: [
        'structured',
        'part 1 of 4 0-12',
        'part 2 of 4 12-24 after notes',
        'part 3 of 4 24-36 after notes',
        'structured 36-48 after notes',
      ],
      end: 'structured',
    });
  });

  it('is given up when the space is gone, and after four refusals', () => {
    const overflow = fails('context-window-exceeded');
    const source = sourceOf(Array.from({ length: 100 }, (_, n) => turn(n)).flat());
    const ends = [
      play(planFor(twelve), twelve, [overflow]),
      play(planFor(source, {}, { request: 200_000 }), source, [
        overflow,
        note,
        overflow,
        note,
        overflow,
        note,
        overflow,
      ]),
    ].map(({ asked, end }) => ({ asked: asked.length, end: endOf(end) }));
    expect(ends).toEqual([
      { asked: 3, end: 'mechanical, context-window-exceeded' },
      { asked: 7, end: 'mechanical, context-window-exceeded' },
    ]);
  });

  it('is looked at by code alone when no question fits', () => {
    const { asked, end } = play(planFor(twelve, {}, { request: 1000 }), twelve, [good]);
    expect({ asked, end: endOf(end) }).toEqual({ asked: [], end: 'mechanical, compaction-request-too-large' });
  });

  it('shows large items as notices, and continues', () => {
    const source = sourceOf([
      ...turn(0),
      { item: says('msg_big', 'user', 'A log: '.repeat(20_000)), origin: user },
      ...turn(1, 30_000),
      ...turn(2),
    ]);
    const played = play(planFor(source, {}, small), source, [good]);
    expect({ asked: played.asked, end: endOf(played.end) }).toEqual({
      asked: ['structured without 4 7'],
      end: 'structured',
    });
  });

  it('is noted by code where a call and its answer cannot be sent together', () => {
    const between = Array.from({ length: 200 }, (_, n) => ({
      item: says(`msg_${n}`, 'user', `Do ${n}.`),
      origin: user,
    }));
    const apart: readonly HistoryEntry[] = [
      { item: call('late'), origin: model },
      ...between,
      { item: output('late', 10), origin: { family: 'tool' } },
    ];
    const playOf = (entries: readonly HistoryEntry[]) => {
      const source = sourceOf(entries);
      const { asked, end } = play(planFor(source, {}, { request: 4500 }), source, [good]);
      return { asked, end: endOf(end) };
    };
    expect(playOf([...apart, ...turn(0)])).toEqual({ asked: ['structured 202-206 after notes'], end: 'structured' });
    expect(playOf([...turn(0), ...apart])).toEqual({
      asked: ['part 1 of 3 0-4', 'structured 206-206 after notes'],
      end: 'structured',
    });
    expect(playOf(apart)).toEqual({ asked: [], end: 'mechanical, compaction-request-too-large' });
  });

  it('is not looked at endlessly', () => {
    const source = sourceOf(Array.from({ length: 400 }, (_, n) => turn(n)).flat());
    const { asked, end } = play(planFor(source, {}, small), source, [note]);
    expect({ asked: asked.length, first: asked[0], end: endOf(end) }).toEqual({
      asked: 43,
      first: 'part 2 of 42 944-960 after notes',
      end: 'plain',
    });
  });
});

describe('what is checked', () => {
  const told: HistoryEntry = { item: says('msg_c', 'user', 'cwd'), origin: context };
  const summary: HistoryEntry = {
    item: says('msg_s', 'user', 'Folded.'),
    origin: { family: 'context', kinds: ['checkpoint-summary'] },
  };
  const sealed: HistoryEntry = { item: { type: 'compaction', encrypted_content: 'x' }, origin: model };
  it.each<[string, CompactionPlan['trigger'], readonly HistoryEntry[], string]>([
    ['nothing', 'auto', [], 'refused, nothing-to-compact'],
    ['nothing but context', 'auto', [told], 'refused, nothing-to-compact'],
    ['nothing since a checkpoint, by hand', 'manual', [...turn(0), summary, told], 'refused, nothing-to-compact'],
    ['nothing since a sealed one, by hand', 'manual', [...turn(0), sealed, told], 'refused, nothing-to-compact'],
    ['a checkpoint that is too large', 'auto', [summary, told], 'request'],
    ['words since a checkpoint', 'manual', [summary, told, ...turn(0)], 'request'],
  ])('%s', (_, trigger, entries, end) => {
    const source = sourceOf(entries);
    expect(endOf(beginCompaction(planFor(source, { trigger }), source))).toBe(end);
  });

  it('a candidate that frees no space gives way to code, and code to what stands', () => {
    const huge = answer('', [{ type: 'compaction', encrypted_content: 'x'.repeat(200_000) }]);
    const plan = planFor(twelve, { strategy: 'remote' });
    expect(endOf(play(plan, twelve, [huge]).end)).toBe('mechanical, compaction-no-gain');
    const little = planFor(twelve, { strategy: 'plain' }, { most: 10 });
    const { end } = play(little, twelve, [prose]);
    expect(end).toEqual({
      kind: 'refused',
      outcome: {
        code: 'compaction-no-gain',
        message: expect.stringMatching(
          /^A checkpoint would not free enough space: with the context that is sent again it would have about [\d,]+ tokens, and the limit is 10; the history has [\d,]+\. The history is unchanged\.$/,
        ),
        next: 'Start a new thread, roll back some turns, or choose a model with a larger window.',
      },
    });
  });

  it('by hand, far from the limit, there is nothing to compact yet: known ahead, or when the summary is too long', () => {
    const plan = (gain: number) => planFor(twelve, { strategy: 'plain', trigger: 'manual' }, { most: 200_000, gain });
    expect(endOf(beginCompaction(plan(10), twelve))).toBe('refused, nothing-to-compact');
    const { tokens } = minimumCandidateSize(plan(10), twelve);
    expect(play(plan(tokens + 1), twelve, [prose]).end).toEqual({
      kind: 'refused',
      outcome: {
        code: 'compaction-no-gain',
        message: 'Nothing to compact yet: a checkpoint would save too little.',
        next: 'No action is needed: the thread is small enough to continue as it is.',
      },
    });
  });

  it.each<[string, Partial<CompactionPlan>, Partial<CompactionPlan['budget']>, RegExp]>([
    ['near it', { trigger: 'manual' }, { before: 100_000, most: 99_000 }, /^Start a new thread, /],
    ['where nothing fits below it', { trigger: 'manual' }, { before: 1000, most: 2000 }, /^Start a new thread, /],
    ['that did not fit', { trigger: 'auto' }, { most: 200_000 }, /^Start a new thread, /],
  ])('without a gain, the advice is for a thread %s', (_, over, budget, advice) => {
    const { end } = play(planFor(twelve, { strategy: 'plain', ...over }, { gain: 10, ...budget }), twelve, [prose]);
    expect(end).toMatchObject({
      kind: 'refused',
      outcome: { code: 'compaction-no-gain', next: expect.stringMatching(advice) },
    });
  });
});
