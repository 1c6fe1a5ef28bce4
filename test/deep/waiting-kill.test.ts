import { expect, it } from 'vitest';
import { startScriptedModel, type ScriptStepOf } from '../../src/testing/index.ts';
import { isCompaction, userTexts } from '../compaction/summariser.ts';
import { compacts, says, saysLong, smallLimit, talk, task } from '../compaction/talk.ts';
import { Place, type Running } from '../harness/run-capstan.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const rounds = 6;

it(`${rounds} processes in a row that are killed during the compaction before a turn lose no message`, async () => {
  let running: Running | undefined;
  const kill: ScriptStepOf = (request) => {
    running?.child.kill('SIGKILL');
    return compacts(request);
  };
  const model = await startScriptedModel(talk([saysLong(), says('Yes.')], kill));
  whenTestEnds(() => model.close());
  const place = new Place(model.url, smallLimit);
  whenTestEnds(() => place.remove());
  const exec = (...words: readonly string[]) => place.start(['exec', '--json', '--skip-git-repo-check', ...words]);
  const first = await exec(task).finished;
  expect(first.code).toBe(0);
  const id = String(first.events[0]?.['thread_id']);

  const said = Array.from({ length: rounds }, (_, round) => `Message ${round}: keep the tests green.`);
  for (const [round, text] of said.entries()) {
    running = exec('resume', id, text);
    const { signal, stderr } = await running.finished;
    expect(signal).toBe('SIGKILL');
    // Each process is told what those before it left.
    for (const earlier of said.slice(0, Math.min(round, 5))) expect(stderr).toContain(`“${earlier}”`);
  }
  running = undefined;
  const shown = JSON.parse((await place.start(['threads', 'show', id, '--json']).finished).stdout) as object;
  expect(shown).toMatchObject({ waiting: said.map((text) => ({ kind: 'words', input: { text } })) });

  const last = await exec('resume', id, 'The last words.').finished;
  expect(last.code).toBe(0);
  const request = model.requests.findLast((each) => !isCompaction(each))!;
  const all = [...said, 'The last words.'];
  expect(userTexts(request).filter((text) => all.includes(text))).toEqual(all);
  expect(place.lines().filter(({ type }) => type === 'compacted')).toHaveLength(1);
});
