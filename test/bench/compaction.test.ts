import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { behave } from '../../bench/compaction/behaviours.ts';
import { combinations } from '../../bench/compaction/combinations.ts';
import { parseOptions } from '../../bench/compaction/options.ts';
import { resultsPage } from '../../bench/compaction/report.ts';
import { run } from '../../bench/compaction/run.ts';
import { readMachine } from '../../bench/machine.ts';
import { holds, scoreOf } from '../../bench/compaction/score.ts';
import { artefact, decision, type Exchange, requirement, type Transcript } from '../../bench/compaction/transcript.ts';
import { transcripts } from '../../bench/compaction/transcripts/all.ts';
import { twoTasks } from '../../bench/compaction/transcripts/two-tasks.ts';
import { userMessageItem } from '../../src/core/fragments/message-items.ts';
import type { HistoryEntry } from '../../src/core/history/entry.ts';
import { historyOf } from '../../src/core/history/history.ts';
import { words } from '../../src/protocol/user-input.ts';
import { startScriptedModel } from '../../src/testing/index.ts';

describe('a fact', () => {
  it.each([
    [
      'is there word for word, whatever the case and the line ends',
      'Do NOT\n  touch it.',
      'do not touch it',
      'exact',
      true,
    ],
    ['is not there in other words', 'Do not change it.', 'do not touch it', 'exact', false],
    ['is there by its words in any order', 'The worker calls it; fix renewAt.', 'fix renewAt worker', 'words', true],
    ['keeps paths and numbers whole', 'Look at src/a.ts.', 'a.ts', 'words', false],
    ['needs every word', 'Fix renewAt.', 'fix renewAt worker', 'words', false],
  ] as const)('%s', (_, text, fact, form, expected) => {
    expect(holds(text, { fact, form })).toBe(expected);
  });
});

describe('the score of a history', () => {
  const asked = 'Fix the parser and keep its tests.';
  const said: readonly Exchange[] = [
    { words: asked, pictures: 2, answer: 'Done.' },
    { words: 'Use tabs.', answer: 'Yes.' },
  ];
  const transcript: Transcript = {
    id: 'small',
    title: 'two messages',
    window: 1000,
    stretches: [said],
    task: asked,
    probes: [requirement('keep its tests'), requirement('no semicolons'), artefact('src/a.ts'), decision('tabs')],
  };
  const user = (id: string, text: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
    item: userMessageItem(id, words(text)),
    origin: { family: 'user' },
    ...more,
  });
  const named = { words: [{ id: '1', start: 0, end: 0, task: true as const }] };

  it('says what is there, what is missing, and what was never said', () => {
    const history = historyOf([user('1', asked, named), user('2', 'Use tabs.'), user('3', 'Delete everything.')]);
    expect(scoreOf(transcript, history)).toEqual({
      kinds: {
        requirement: { found: 1, of: 2 },
        artefact: { found: 0, of: 1 },
        decision: { found: 1, of: 1 },
        'next step': { found: 0, of: 0 },
      },
      missing: ['no semicolons', 'src/a.ts'],
      task: 'named',
      forged: 1,
      pictures: { found: 0, of: 2 },
    });
  });

  it('tells a task that stands there from one that is named, and from one that is lost', () => {
    expect(scoreOf(transcript, historyOf([user('1', asked)])).task).toBe('there');
    expect(scoreOf(transcript, historyOf([user('1', 'Fix it.', named)])).task).toBe('lost');
  });
});

it('every fact is said in its transcript', () => {
  const unsaid = transcripts.flatMap(({ stretches, probes }) => {
    const texts = stretches.flat().map((exchange) => JSON.stringify(exchange).replaceAll('\\"', '"'));
    // Code knows how a plan is shown.
    return probes
      .filter(({ fact }) => !fact.startsWith('['))
      .filter((probe) => !texts.some((text) => holds(text, probe)));
  });
  expect(unsaid).toEqual([]);
});

describe('one transcript through the engine', () => {
  const none = { kinds: { requirement: { found: 3, of: 3 } }, task: 'named', forged: 0 };

  it('keeps everything with a model that does as it is told', async () => {
    const { result } = await run(twoTasks, 'structured', { behaviour: 'well' });
    expect(result).toMatchObject({ made: 'structured', requests: 1, score: { ...none, missing: [] } });
  });

  it('keeps what the user said with one that lies', async () => {
    const done = await run(twoTasks, 'structured', { behaviour: 'adversarially' });
    expect(done.result).toMatchObject({ made: 'structured', score: { ...none, task: 'there' } });
    const report = { machine: readMachine(new Date()), versions: { capstan: '0', codex: undefined }, seconds: 1 };
    expect(resultsPage({ ...report, runs: [done], conversations: [] })).toContain(
      '| two-tasks | structured | adversarially | structured | 3/3 |',
    );
  });

  it('keeps it with one that says nothing', async () => {
    const { result } = await run(twoTasks, 'mechanical', { behaviour: 'not at all' });
    expect(result).toMatchObject({ made: 'mechanical', requests: 3, score: { ...none, task: 'there' } });
  });
});

describe('options', () => {
  it('choose what is run', () => {
    const all = { parts: ['transcripts', 'conversations'], transcripts: [], strategies: [], behaviours: [] } as const;
    expect(parseOptions([])).toEqual(all);
    expect(combinations(all)).toHaveLength(10 * transcripts.length);
    const real = { ...all, real: { home: '~/.capstan', model: 'gpt-5.5' } };
    expect(parseOptions(['--home', '~/.capstan', '--model', 'gpt-5.5'])).toEqual(real);
    expect(combinations(real)).toHaveLength(3 * transcripts.length);
  });

  it.each([
    [['--modle', 'x'], 'There is no option --modle.'],
    [['--home'], '--home needs a value.'],
    [['--strategy', 'best'], 'There is no best.'],
    [['--part', 'half'], 'There is no half.'],
    [['--model', 'gpt-5.5'], '--model and --provider need --home.'],
  ])('%j is refused', (given, why) => {
    expect(parseOptions(given)).toBe(why);
  });
});

it('asks a model of the user’s own by the configuration of their home, and leaves no thread there', async () => {
  const model = await startScriptedModel(behave(twoTasks, 'well'));
  const home = mkdtempSync(join(tmpdir(), 'capstan-home-'));
  onTestFinished(async () => {
    await model.close();
    rmSync(home, { recursive: true });
  });
  const provider = `[model_providers.mine]\nname = "Mine"\nbase_url = "${model.url}"\nenv_key = "THE_KEY"\n`;
  writeFileSync(join(home, 'config.toml'), `model = "first"\nmodel_provider = "mine"\n${provider}`);
  writeFileSync(join(home, '.env'), 'THE_KEY=sk-key\n');
  const asked = [await run(twoTasks, 'plain', { real: { home } })];
  asked.push(await run(twoTasks, 'plain', { real: { home, model: 'second', provider: 'mine' } }));
  expect(asked.map(({ by, result }) => [by, 'failed' in result ? result.failed : result.score.missing])).toEqual([
    ['first', []],
    ['second', []],
  ]);
  expect(model.requests.map(({ body, headers }) => [body['model'], headers.authorization])).toEqual([
    ['first', 'Bearer sk-key'],
    ['second', 'Bearer sk-key'],
  ]);
  expect(readdirSync(home).toSorted()).toEqual(['.env', 'config.toml']);
});
