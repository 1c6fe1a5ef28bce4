import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { notes } from './adversary/transcripts.ts';
import { calls, compacts, says, saysLong, smallLimit, talk, task } from './talk.ts';

const signal = new AbortController().signal;
/** About 9,000 tokens of context that every checkpoint sends again. */
const rules = notes(7, 24_000);

/** The tokens of the next request, as `capstan context` shows them. */
async function shown(live: LiveThread): Promise<number> {
  await live.close();
  const { stdout } = await live.place.run('context', live.id, '--json');
  return (JSON.parse(stdout) as { total: number }).total;
}

test('a checkpoint by hand that saves only context that is sent again is not installed', async () => {
  const live = await LiveThread.in(talk([says(notes(1, 1800)), says('Yes.')]));
  writeFileSync(join(live.place.workspace, 'AGENTS.md'), rules);
  await live.turn(task);
  expect(await live.thread.compact({ signal })).toMatchObject({
    kind: 'failed',
    outcome: { code: 'nothing-to-compact', message: 'Nothing to compact yet.' },
  });
  await live.close();
  const run = await live.place.run('threads', 'compact', live.id);
  expect([run.code, run.stdout]).toEqual([1, '']);
  expect(run.stderr).toContain('Nothing to compact yet.');
  // No model was asked for a checkpoint that could not be installed.
  expect(live.model.requests).toHaveLength(1);
});

test('before and after are what the next request weighs: the started event, the report and context agree', async () => {
  const live = await LiveThread.in(talk([saysLong(), says('Yes.')]));
  writeFileSync(join(live.place.workspace, 'AGENTS.md'), rules);
  await live.turn(task);
  const before = await shown(live);
  await live.open();
  const result = await live.thread.compact({ signal });
  if (result.kind !== 'installed') throw new Error(result.kind);
  const { tokensBefore, tokensAfter } = result.report;
  const [started] = live.told('checkpoint-started');
  expect([started!.tokens, tokensBefore, tokensAfter]).toEqual([before, before, await shown(live)]);
  expect(tokensAfter).toBeGreaterThan(9000);
  // The next request holds that, and what the user says then.
  await live.open();
  await live.turn('Go on.');
  const usage = live.told('usage').at(-1)!.tokens;
  expect(usage - tokensAfter).toBeGreaterThan(0);
  expect(usage - tokensAfter).toBeLessThan(150);
});

test('inside a turn, too', async () => {
  const live = await LiveThread.in(talk([saysLong(['exec_command', { cmd: 'echo' }]), says('Done.')]), smallLimit);
  await live.open({}, { compactsAfterTurns: false });
  writeFileSync(join(live.place.workspace, 'AGENTS.md'), rules);
  await live.turn(task);
  const { report } = live.told('checkpoint-installed')[0]!;
  expect(live.told('checkpoint-started')[0]!.tokens).toBe(report.tokensBefore);
  expect(report.tokensAfter).toBeGreaterThan(9000);
  expect(live.told('usage').at(-1)!.tokens - report.tokensAfter).toBeLessThan(50);
});

test('where a provider counts otherwise, both numbers of a checkpoint are the estimate', async () => {
  const counted = answer({ items: [say(notes(3, 36_000))], usage: { input: 30_000, output: 12_000, total: 42_000 } });
  const live = await LiveThread.in(talk([counted, says('Done.')], compacts), 'model_auto_compact_token_limit = 40000');
  await live.open({}, { compactsAfterTurns: false });
  await live.turn(task);
  await live.turn('Go on.');
  const [started] = live.told('checkpoint-started');
  const [installed] = live.told('checkpoint-installed');
  expect(started!.tokens).toBe(installed!.report.tokensBefore);
  expect(started!.tokens).toBeLessThan(20_000);
  const { stdout } = await (await live.close(), live.place.run('context', live.id, '--checkpoint', 'last'));
  expect(stdout).toContain('less (estimated)');
});

test('a message that is larger than all of history makes no checkpoint of next to nothing', async () => {
  const live = await LiveThread.in(talk([says('Yes.'), calls('echo'), says('Done.')]), smallLimit);
  writeFileSync(join(live.place.workspace, 'AGENTS.md'), rules);
  await live.turn(task);
  await live.turn(notes(5, 36_000));
  expect(live.told('checkpoint-started').filter(({ phase }) => phase === 'pre_turn')).toEqual([]);
});
