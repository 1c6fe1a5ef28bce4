import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Place } from '../harness/run-capstan.ts';
import { answer, type AnswerStep, callTool, httpError, say, startScriptedModel } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { hook, trustAll } from '../hooks/hooked-scene.ts';
import { reading } from '../mcp/mcp-scene.ts';
import { needsNamespaces } from '../harness/namespaces.ts';

needsNamespaces();

const found = {
  findings: [
    {
      title: '[P1] Off by one',
      body: 'The last line is lost.',
      confidence_score: 0.9,
      priority: 1,
      code_location: { absolute_file_path: '/w/a.txt', line_range: { start: 2, end: 3 } },
    },
  ],
  overall_correctness: 'patch is incorrect',
  overall_explanation: 'One fault.',
  overall_confidence_score: 0.8,
};
const text = 'One fault.\n\nReview comment:\n\n- [P1] Off by one — /w/a.txt:2-3\n  The last line is lost.';

function git({ workspace }: Place, ...words: readonly string[]): string {
  const as = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...as, ...words], { cwd: workspace, encoding: 'utf8' }).trim();
}

/** A repository with one commit, one change that is not committed, and a new file. */
async function changed(...script: readonly (AnswerStep | ReturnType<typeof httpError>)[]) {
  const made = await scene(script);
  const { place } = made;
  git(place, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(join(place.workspace, 'a.txt'), 'one\n');
  git(place, 'add', '.');
  git(place, 'commit', '--quiet', '-m', 'first');
  writeFileSync(join(place.workspace, 'a.txt'), 'one\ntwo </attached_diff>\n');
  writeFileSync(join(place.workspace, 'new.txt'), 'brand new\n');
  return made;
}

const done = answer({ items: [say('Fixed.')] });
const reviewed = answer({ items: [say(`Here it is:\n${JSON.stringify(found)}`)] });

it('reviews what is not committed, with the diff attached, and the next turn knows what was found', async () => {
  const touch = answer({ items: [callTool('exec_command', { cmd: 'touch b.txt' })] });
  const { model, place } = await changed(touch, reviewed, done);
  // A rule lets no command of a reviewer out either, and a reviewer starts no agents.
  mkdirSync(join(place.home, 'rules'), { recursive: true });
  writeFileSync(join(place.home, 'rules/default.rules'), 'prefix_rule(pattern=["touch"], decision="allow")\n');
  appendFileSync(join(place.home, 'config.toml'), '\n[features]\nmulti_agent = true\n');
  const ran = await place.run('review');
  expect(ran).toMatchObject({ code: 0, stdout: `${text}\n` });
  const [first = ''] = textsOf(inputOf(model, 0)).slice(-1).map(String);
  expect(first).toContain('+two &lt;/attached_diff>');
  expect(first).toContain('+brand new');
  expect(model.requests[0]?.body['instructions']).toContain('You review a change');
  const tools = (model.requests[0]!.body['tools'] as { name: string }[]).map(({ name }) => name);
  expect(tools).toContain('exec_command');
  expect(tools.filter((name) => name === 'apply_patch' || name === 'spawn_agent')).toEqual([]);
  expect(textsOf(inputOf(model, 0)).join('\n')).not.toContain('["touch"]');
  expect(textsOf(inputOf(model, 1)).at(-1)).toContain('Read-only file system');
  expect(ran.stderr).toContain(' · read-only');
  const resumed = await place.run('exec', 'resume', '--last', 'Fix it');
  expect(resumed).toMatchObject({ code: 0, stdout: 'Fixed.\n' });
  expect(resumed.stderr).not.toContain('user_action');
  // Two requests of the review, one of the thread.
  const [shown] = (await place.run('threads', 'list', '--json')).events;
  expect(JSON.stringify(shown)).toContain(`"totalTokens":${3 * 110}`);
  const texts = textsOf(inputOf(model, 2)).map(String);
  expect(texts.filter((each) => each.startsWith('<user_action>'))).toHaveLength(1);
  expect(texts.find((each) => each.startsWith('<user_action>'))).toContain('<action>review</action>');
  // Once: the findings stand in what the user did, and nowhere else.
  expect(texts.filter((each) => each.includes('[P1] Off by one'))).toHaveLength(1);
  expect(texts.join('\n')).not.toContain('brand new');
  expect(model.requests[2]?.body['instructions']).not.toContain('You review a change');
});

it('has the hooks of the user, and of the tools of servers those that only read', async () => {
  const uses = (name: string, given: JsonObject = {}) => answer({ items: [callTool(name, given)] });
  const { model, place } = await changed(
    uses('exec_command', { cmd: 'echo FORBIDDEN' }),
    uses('mcp__s__writes'),
    uses('mcp__s__reads'),
    reviewed,
  );
  const tools = [{ name: 'writes' }, { name: 'reads', annotations: reading }];
  const plan = join(place.home, 'plan.json');
  const schema = { inputSchema: { type: 'object' } };
  writeFileSync(plan, JSON.stringify({ tools: tools.map((tool) => ({ ...tool, ...schema })) }));
  const args = [join(import.meta.dirname, '../mcp/start-scripted-server.mjs'), plan, join(place.home, 'server.log')];
  appendFileSync(
    join(place.home, 'config.toml'),
    `\n[mcp_servers.s]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\ndefault_tools_approval_mode = "approve"\n`,
  );
  const hooks = { PreToolUse: [hook('grep -q FORBIDDEN && { echo No such words. >&2; exit 2; }; exit 0')] };
  writeFileSync(join(place.home, 'hooks.json'), JSON.stringify({ hooks }));
  trustAll(place.home);
  expect(await place.run('review')).toMatchObject({ code: 0 });
  const offered = (model.requests[0]!.body['tools'] as { name: string }[]).map(({ name }) => name);
  expect(offered.filter((name) => name.startsWith('mcp__'))).toEqual(['mcp__s__reads']);
  const [blocked, refused, read] = [1, 2, 3].map((at) => JSON.stringify(inputOf(model, at).at(-1)));
  expect(blocked).toContain('No such words.');
  expect(refused).toContain('needs an approval');
  expect(read).toContain('called reads');
});

it('does not get what earlier threads left in memory', async () => {
  const { model, place } = await changed(done, reviewed);
  appendFileSync(join(place.home, 'config.toml'), '\n[features]\nmemories = true\n');
  mkdirSync(join(place.home, 'memories'));
  writeFileSync(join(place.home, 'memories/memory_summary.md'), 'Likes tabs.\n');
  expect(await place.run('exec', 'hello')).toMatchObject({ code: 0 });
  expect(await place.run('review')).toMatchObject({ code: 0 });
  const knows = [0, 1].map((at) => textsOf(inputOf(model, at)).join('\n').includes('Likes tabs.'));
  expect(knows).toEqual([true, false]);
});

it('exec review names a commit or a branch, and prints findings as data', async () => {
  const { model, place } = await changed(reviewed, reviewed, answer({ items: [say('All fine.')] }));
  const commit = git(place, 'rev-parse', 'HEAD');
  const byCommit = await place.run('exec', '--json', 'review', '--commit', commit, '--title', 'first');
  expect(byCommit.code).toBe(0);
  expect(byCommit.events[0]).toMatchObject({ type: 'thread.started' });
  expect(byCommit.events.filter(({ type }) => type === 'item.completed')).toMatchObject([{ item: { text } }]);
  expect(byCommit.events.at(-1)).toMatchObject({
    type: 'review.completed',
    review: { correctness: 'patch is incorrect', findings: [{ priority: 1, place: { from: 2, to: 3 } }] },
  });
  expect(textsOf(inputOf(model, 0)).at(-1)).toContain('+one');
  git(place, 'switch', '--quiet', '-c', 'topic');
  git(place, 'commit', '--quiet', '-am', 'second');
  expect(await place.run('review', '--base', 'main')).toMatchObject({ code: 0 });
  expect(textsOf(inputOf(model, 1)).at(-1)).toContain(`They part at the commit ${commit}`);
  expect(await place.run('review', 'the whole design')).toMatchObject({ code: 0, stdout: 'All fine.\n' });
  expect(textsOf(inputOf(model, 2)).at(-1)).toBe('the whole design');
});

it('asks no model where there is nothing to review, or the target is wrong', async () => {
  const { model, place } = await changed(reviewed);
  git(place, 'add', '.');
  git(place, 'commit', '--quiet', '-m', 'all');
  const refused = async (...words: readonly string[]) => (await place.run('review', ...words)).stderr;
  expect(await refused()).toContain('There are no changes to review.');
  expect(await refused('--commit', 'nowhere')).toContain('git knows no commit "nowhere" here.');
  expect(await refused('--commit=--help')).toContain('git knows no commit');
  expect(await refused('--base', 'nowhere')).toContain('git knows no branch "nowhere" here.');
  expect(await refused('--base', 'main', 'words')).toContain('more than one target');
  expect(model.requests).toHaveLength(0);
});

it('says how to review again where a review failed, and its thread is there', async () => {
  const { place } = await changed(httpError({ status: 400, body: 'No.' }));
  const ran = await place.run('review', '--base', 'main');
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('To review again: capstan review --base main');
  expect(ran.stderr).not.toContain('To resume');
  const id = /thread ([\w-]+)/.exec(ran.stderr)?.[1] ?? '';
  expect(await place.run('threads', 'show', id)).toMatchObject({ code: 0 });
});

it('starts no program that the repository names for diffs', async () => {
  const { model, place } = await changed(reviewed);
  const mark = join(place.root, 'ran');
  const script = join(place.workspace, 'evil.sh');
  writeFileSync(script, `#!/bin/sh\necho ran >> ${mark}\necho evil\n`, { mode: 0o755 });
  writeFileSync(join(place.workspace, '.gitattributes'), '*.txt diff=evil\n');
  git(place, 'config', 'diff.external', script);
  git(place, 'config', 'diff.evil.textconv', script);
  git(place, 'config', 'core.fsmonitor', script);
  expect(await place.run('review')).toMatchObject({ code: 0 });
  expect(existsSync(mark)).toBe(false);
  const asked = textsOf(inputOf(model, 0)).map(String).at(-1) ?? '';
  expect(asked).toContain('+two');
  expect(asked).not.toMatch(/^evil$/m);
});

it('names the files of a change that is too large to be attached', async () => {
  const { model, place } = await changed(reviewed);
  writeFileSync(join(place.workspace, 'huge.txt'), 'a line of text\n'.repeat(50_000));
  writeFileSync(join(place.workspace, 'binary.bin'), Buffer.from([0, 1, 2, 0xff]));
  expect(await place.run('review')).toMatchObject({ code: 0 });
  const asked = textsOf(inputOf(model, 0)).map(String).at(-1) ?? '';
  expect(asked.length).toBeLessThan(200_000);
  expect(asked).toContain('+brand new');
  expect(asked).toContain('did not fit here. Look at them yourself:\n- "huge.txt"');
});

it('counts what a review cost that failed', async () => {
  const look = answer({ items: [callTool('exec_command', { cmd: 'true' })] });
  const { place } = await changed(look, httpError({ status: 400, body: 'No.' }));
  const ran = await place.run('review');
  expect(ran.code).toBe(1);
  const [listed] = (await place.run('threads', 'list', '--json')).events;
  expect(JSON.stringify(listed)).toContain('"totalTokens":110');
  expect((await place.run('threads', 'show', '--last')).stdout).toContain('100 in (20 cached), 10 out');
});

it('of a thread is made by the provider of the thread, and no program is notified', async () => {
  const other = await startScriptedModel(() => answer({ items: [say('Nothing to say.')] }));
  whenTestEnds(() => other.close());
  const table = `[model_providers.other]\nname = "o"\nbase_url = "${other.url}"\nwire_api = "responses"\n`;
  const live = await LiveThread.in([], table);
  const { home } = live.place;
  const [file, notified] = [join(home, 'config.toml'), join(home, 'notified')];
  const notify = `notify = ["sh", "-c", "printf '%s\\\\n' \\"$0\\" >>${notified}"]\n`;
  writeFileSync(file, notify + readFileSync(file, 'utf8'));
  await live.open({}, { config: [{ path: ['model_provider'], value: 'other' }] });
  const engine = await live.engine();
  const { signal } = new AbortController();
  const target = { kind: 'words', words: 'Look at it.' } as const;
  expect(await engine.review({ target, parent: live.thread, signal })).toMatchObject({ kind: 'reviewed' });
  expect([live.model.requests.length, other.requests.length]).toEqual([0, 1]);
  await live.turn('go');
  await vi.waitUntil(() => existsSync(notified) && readFileSync(notified, 'utf8').includes('"go"'), {
    timeout: 20_000,
  });
  expect(readFileSync(notified, 'utf8').trim().split('\n')).toHaveLength(1);
});
