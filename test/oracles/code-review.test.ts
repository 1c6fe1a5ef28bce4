import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, type RecordedRequest, say } from '../../src/testing/index.ts';
import type { Finished, Place } from '../harness/run-capstan.ts';
import { runCodex } from './codex.ts';
import { textsOf } from './items.ts';
import { runCapstan, scene } from './scene.ts';

type Run = (place: Place, ...words: readonly string[]) => Promise<Finished>;

const finding = {
  title: '[P1] Off by one',
  body: 'The last line is lost.',
  confidence_score: 0.9,
  priority: 1,
  code_location: { absolute_file_path: '/w/a.txt', line_range: { start: 2, end: 3 } },
};
const verdict = {
  findings: [finding],
  overall_correctness: 'patch is incorrect',
  overall_explanation: 'One fault.',
  overall_confidence_score: 0.8,
};

/** Answers of a reviewer, from the best to the least. */
const answers = {
  'structured findings': JSON.stringify(verdict),
  'findings with words around them': `Here it is:\n${JSON.stringify(verdict)}\nThat is all.`,
  'two findings': JSON.stringify({ ...verdict, findings: [finding, { ...finding, title: '[P2] Slow' }] }),
  'no findings': JSON.stringify({ ...verdict, findings: [], overall_explanation: 'All is well.' }),
  'plain words': 'It looks fine to me.',
};

function git({ workspace }: Place, ...words: readonly string[]): void {
  const as = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...as, ...words], { cwd: workspace });
}

function messagesOf({ body }: RecordedRequest, role: string): readonly string[] {
  const items = body['input'] as unknown as readonly JsonObject[];
  return textsOf(items.filter((item) => item['role'] === role));
}

/** The results that a message reports of an action of the user. The words before them are those of each program. */
function resultsIn(text: string): readonly string[] {
  const [, action, results] =
    /^<user_action>[^]*<action>(.*)<\/action>\s*<results>([^]*)<\/results>\s*<\/user_action>\s*$/.exec(text) ?? [];
  return action === undefined ? [] : [`${action}: ${results?.trim()}`];
}

/** Reviews a change, then resumes the thread: what the parent reads of it. */
async function play(run: Run, said: string) {
  const { model, place } = await scene([answer({ items: [say(said)] }), answer({ items: [say('Fixed.')] })]);
  git(place, 'init', '--quiet');
  writeFileSync(join(place.workspace, 'a.txt'), 'one\n');
  git(place, 'add', '.');
  git(place, 'commit', '--quiet', '-m', 'first');
  writeFileSync(join(place.workspace, 'a.txt'), 'one\ntwo\n');
  const reviewed = await run(place, 'review', '--uncommitted');
  const resumed = await run(place, 'resume', '--last', 'Fix it');
  const parent = model.requests[1]!;
  return {
    codes: [reviewed.code, resumed.code],
    requests: model.requests.length,
    target: /uncommitted|not committed|staged, unstaged/.test(messagesOf(model.requests[0]!, 'user').at(-1) ?? ''),
    read: [...messagesOf(parent, 'user').flatMap(resultsIn), ...messagesOf(parent, 'assistant')],
  };
}

it.each(Object.entries(answers))('a review that ends with %s is read alike', async (_name, said) => {
  const capstan = await play(runCapstan, said);
  const codex = await play(runCodex, said);
  // Codex says the findings once more, as an answer.
  const [findings, ...again] = codex.read;
  expect(capstan).toEqual({ ...codex, read: [findings] });
  expect(again).toHaveLength(1);
  expect(capstan).toMatchObject({
    codes: [0, 0],
    requests: 2,
    target: true,
    read: [expect.stringMatching(/^review: /)],
  });
});
