import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../src/protocol/json.ts';
import type { Script } from '../../src/testing/index.ts';
import type { Finished, Place } from '../harness/run-capstan.ts';
import { AppServer } from './app-server.ts';
import { dot } from './dot.ts';
import { scene, threadOf } from './scene.ts';

type Run = (place: Place, ...words: readonly string[]) => Promise<Finished>;

/**
 * Deliberate differences in the lists of Codex about a thread of ours. The rest must equal the list of a thread of its
 * own.
 */
const onPurpose: Readonly<Record<string, string>> = {
  cliVersion: 'the program that made the thread',
  originator: 'the program that made the thread',
  reasoningEffort: 'we record the effort in force, Codex only one that somebody chose',
  rootTurnId: 'we have no agents below a thread yet, and name no root',
  message: 'errors are said in our own words',
  command: 'the shell is no login shell: the login environment is captured once',
  source: 'a command runs to its end, there is no session to start',
  processId: 'a command runs to its end, there is no session to name',
  aggregatedOutput: 'output stands once in the file, in what the model saw (I9)',
};

/** Not facts about the program: names and moments. */
const passing = /^(id|sessionId|.*At(Ms)?|durationMs)$/;

/** The list of the app-server of Codex after a program has run the prompts, all in one thread. */
export async function listedAfter(run: Run, script: Script, prompts: readonly string[]): Promise<unknown> {
  const { place } = await scene(script);
  furnish(place.workspace);
  const [first = '', ...others] = prompts;
  const id = threadOf(await run(place, first));
  for (const prompt of others) await run(place, 'resume', id, prompt);
  return asked(place, async (server) => {
    const threads = await server.call('thread/list', { sourceKinds: ['exec'] });
    // Codex brings its table of turns up to date when it opens a thread, not when it lists one.
    await server.call('thread/resume', { threadId: id, excludeTurns: true });
    const turns = await server.call('thread/turns/list', { threadId: id, sortDirection: 'asc', itemsView: 'full' });
    return comparable({ threads: threads['data'] as Json, turns: turns['data'] as Json }, place);
  });
}

/** The settings in force when the app-server opens a thread that ran in another mode than the configured one. */
export async function restoredAfter(run: Run, script: Script, mode: string): Promise<unknown> {
  const { place } = await scene(script);
  const id = threadOf(await run(place, '-s', mode, '-c', 'model_reasoning_effort="high"', 'first words'));
  return asked(place, async (server) => {
    const opened = await server.call('thread/resume', { threadId: id, excludeTurns: true });
    const settings = Object.entries(opened).filter(([key]) => key !== 'thread' && !key.endsWith('Cursor'));
    return JSON.parse(JSON.stringify(settings).replaceAll(place.root, '(place)'));
  });
}

async function asked<Answer>(place: Place, question: (server: AppServer) => Promise<Answer>): Promise<Answer> {
  const server = await AppServer.start(place);
  try {
    return await question(server);
  } finally {
    await server.close();
  }
}

/** A repository with one commit, the same every time, and an image. */
function furnish(workspace: string): void {
  const date = '2026-01-01T00:00:00Z';
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: workspace, env });
  git('-c', 'init.defaultBranch=main', 'init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message=first');
  git('remote', 'add', 'origin', 'https://name:secret@example.com/some/where.git');
  writeFileSync(join(workspace, 'dot.png'), Buffer.from(dot, 'base64'));
}

function comparable(value: Json, { root }: Place): unknown {
  const text = JSON.stringify(value, (key, member: unknown) => {
    if (passing.test(key)) return '(passing)';
    if (typeof member === 'string' && member.endsWith('.jsonl')) return '(rollout)';
    return key in onPurpose ? '(on purpose)' : member;
  });
  return JSON.parse(text.replaceAll(root, '(place)'));
}
