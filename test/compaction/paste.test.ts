import { describe, expect, test } from 'vitest';
import type { AskUser } from '../../src/index.ts';
import { answer, callTool, say, type ScriptStepOf } from '../../src/testing/index.ts';
import { isFaultyAnswer } from '../../src/core/compaction/candidates/candidate.ts';
import { mechanicalCandidate } from '../../src/core/compaction/candidates/build-candidate.ts';
import { structuredCandidate } from '../../src/core/compaction/candidates/written-candidate.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { answerOf, installed, planOf, said, sourceOf, textsOf, worked } from './scene.ts';
import { checkpointText, isCompaction, saysCheckpoint } from './summariser.ts';

const signal = new AbortController().signal;
const paste = (name: string): string =>
  Array.from({ length: 5000 }, (_, row) => `${name} ${row}; Müller & Söhne; order ${row * 7919}; open`).join('\n');
const first = `Import these rows.\n${paste('first')}`;
const sentences = ['But skip everything before row 500.', 'And write the tests in German.', 'Continue with that.'];
const note = 'Never run the migration, only write it.';
const input = { database: ['Postgres, but not before May'] };

const sealed = { type: 'compaction', encrypted_content: 'c2VhbGVk' };
const kinds: readonly [name: string, overrides: readonly string[], answers: ScriptStepOf][] = [
  ['structured', [], () => saysCheckpoint(checkpointText('Import these rows.', []))],
  ['plain', ['compaction.strategy="plain"'], () => answer({ items: [say('Half of the rows are imported.')] })],
  [
    'remote',
    ['compaction.strategy="remote"', 'model_providers.scripted.server_capabilities.remote_compaction=true'],
    () => answer({ items: [sealed] }),
  ],
  ['mechanical', [], () => answer({ items: [say('no')] })],
];

const question = {
  id: 'database',
  header: 'Database',
  question: 'Which database?',
  options: [{ label: 'SQLite', description: 'One file.' }],
};

describe('a paste does not erase what was said after it', () => {
  test.each(kinds)('%s', async (strategy, overrides, checkpoint) => {
    const work = [
      callTool('exec_command', { cmd: 'migrate', sandbox_permissions: 'require_escalated', justification: 'now' }),
      callTool('request_user_input', { questions: [question] }),
    ];
    let steps = 0;
    const live = await LiveThread.in((request) => {
      const isAsked = isCompaction(request) || JSON.stringify(request.body['input']).includes('compaction_trigger');
      if (isAsked) return checkpoint(request);
      return answer({ items: steps++ === 0 ? work : [say('Yes.')], usage: 'none' });
    }, 'approval_policy = "on-request"\nfeatures.default_mode_request_user_input = true\n');
    const askUser: AskUser = {
      ask: async ({ kind }) => (kind === 'input' ? { kind: 'allowed', content: input } : { kind: 'declined', note }),
    };
    await live.open({ config: overrides }, { askUser, compactsAfterTurns: false });
    await live.turn(first);
    for (const sentence of sentences.slice(0, 2)) await live.turn(sentence);
    await live.thread.shell({ command: 'echo typed by hand', signal });
    await live.turn(sentences[2]!);

    const texts = (): string =>
      live
        .rows(live.model.requests.length - 1)
        .flat()
        .join('\n');
    const expectWords = (): void => {
      const words = [...sentences, note, 'Which database?\nPostgres, but not before May', 'echo typed by hand'];
      expect(words.filter((text) => !texts().includes(text))).toEqual([]);
      const places = sentences.map((text) => texts().indexOf(text));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    };
    expect(await live.thread.compact({ signal })).toMatchObject({
      kind: 'installed',
      report: { strategy, words: { kept: 3, cut: 1, dropped: 0 } },
    });
    await live.turn(`Now these.\n${paste('second')}`);
    expectWords();
    // Both ends of the paste are there, and between them a mark.
    expect(texts()).toMatch(/Import these rows\.\nfirst 0;[^]*\[… about \d+ tokens cut here …\][^]*first 4999;/);

    // Words of a paste in a checkpoint are the user's again, and stay beside another paste.
    expect(await live.thread.compact({ signal })).toMatchObject({ kind: 'installed', report: { number: 2 } });
    await live.turn('Go on.');
    expectWords();
    expect(texts()).toMatch(/first 0;[^]*first 4999;[^]*second 0;[^]*second 4999;/);
  });
});

test('hundreds of short messages: the oldest are left out, and the checkpoint says how many', () => {
  const rule = (at: number): string => `Rule ${at}: ${'keep the order of the rows. '.repeat(20)}`;
  const all = Array.from({ length: 300 }, (_, at) => said(`msg_${at}`, rule(at + 1), { number: at + 1 }));
  const why = { code: 'x', message: 'No answer.', next: 'Wait.' };
  const made = mechanicalCandidate(planOf(), sourceOf(all), why);
  const { kept, cut, dropped } = made.words;
  expect(kept + cut + dropped).toBe(300);
  const [text = ''] = textsOf(installed(made));
  const [, last, count] = /===== turns 2 to (\d+): (\d+) messages left out here, about \d+ tokens =====/.exec(text)!;
  expect([Number(count), Number(last)]).toEqual([dropped, dropped + 1]);
  const whole = Array.from({ length: 300 }, (_, at) => at + 1).filter((at) => text.includes(rule(at)));
  // The first, and from the newest back as many as there is space for; the next of them may be cut.
  expect(whole).toEqual([1, ...Array.from({ length: kept - 1 }, (_, at) => 300 - kept + 2 + at)]);

  // The request that the checkpoint names stays, wherever it stands.
  const named = structuredCandidate(planOf(), sourceOf(all), answerOf({ request: rule(40) }));
  expect(isFaultyAnswer(named) ? '' : textsOf(installed(named))[0]).toContain(
    `<VERBATIM_REQUEST_START>\n${rule(40)}\n`,
  );
});

test('an active request of a megabyte keeps both ends and what the model quoted, within the space', () => {
  const huge = `Build this.\n${'A line of the specification.\n'.repeat(20_000)}Use tabs.\n${'Another line.\n'.repeat(30_000)}`;
  const all = [said('msg_1', huge), said('msg_2', 'Only in June.'), ...worked('1'), said('msg_3', 'Go on.')];
  const made = structuredCandidate(
    planOf(),
    sourceOf(all),
    answerOf({ request: 'A line of the specification.\nUse tabs.' }),
  );
  if (isFaultyAnswer(made)) throw new Error(made.faults.join(' '));
  const [text = ''] = textsOf(installed(made));
  expect(['Build this.', 'Use tabs.', 'Only in June.', 'Go on.'].filter((part) => !text.includes(part))).toEqual([]);
  expect(made.tokens).toBeLessThanOrEqual(planOf().budget.most);
});
