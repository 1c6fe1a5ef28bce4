import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capstanProgram } from './contenders/capstan.ts';
import { plainEnvironment } from './process/command.ts';
import { runToExit } from './process/run-to-exit.ts';
import { distribution } from './report/statistics.ts';

// Times lists and searches in a home with many threads: `node bench/threads.ts [COUNT]`, after a build.

const count = Number(process.argv[2] ?? 10_000);
const repetitions = 15;
const home = mkdtempSync(join(tmpdir(), 'capstan-threads-'));
try {
  console.log(`Making ${count} threads…`);
  makeThreads();
  const version = await medianOf('--version');
  console.log(`--version                        ${shown(version)}`);
  const rebuild = await time('threads', 'reindex');
  console.log(
    `threads reindex                  ${shown(rebuild)}, ${((rebuild * 1000) / count).toFixed(0)} µs a thread`,
  );
  for (const words of [
    ['threads', 'list'],
    ['threads', 'list', '--json', '--limit', '100'],
    ['threads', 'list', '--cd', '/repo/7'],
    ['threads', 'search', `needle-${Math.floor(count / 2)}`],
  ]) {
    const milliseconds = await medianOf(...words);
    console.log(`${words.join(' ').padEnd(33)}${shown(milliseconds)}, ${shown(milliseconds - version)} over --version`);
  }
  // Last, because it leaves a process behind that reads the rest.
  rmSync(join(home, 'capstan'), { recursive: true });
  const first = await time('threads', 'list');
  console.log(`threads list, without an index   ${shown(first)}, ${shown(first - version)} over --version`);
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 50 });
}

async function medianOf(...words: readonly string[]): Promise<number> {
  await time(...words);
  const samples: number[] = [];
  for (let i = 0; i < repetitions; i++) samples.push(await time(...words));
  return distribution(samples).median;
}

function time(...words: readonly string[]): Promise<number> {
  const env = { ...plainEnvironment(home), CAPSTAN_HOME: home };
  return runToExit({ program: process.execPath, arguments: [capstanProgram, ...words], env, cwd: home });
}

function shown(milliseconds: number): string {
  return `${milliseconds.toFixed(0)} ms`;
}

/** Small threads of one turn, 40 a day, in the form of the files of Capstan and Codex. */
function makeThreads(): void {
  for (let i = 0; i < count; i++) {
    const at = Date.UTC(2026, 0, 1) + Math.floor(i / 40) * 86_400_000 + (i % 40) * 60_000;
    const hex = at.toString(16).padStart(12, '0');
    const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${i.toString(16).padStart(12, '0')}`;
    const time = new Date(at).toISOString();
    const folder = join(home, 'sessions', time.slice(0, 10).replaceAll('-', '/'));
    if (i % 40 === 0) mkdirSync(folder, { recursive: true });
    const path = join(folder, `rollout-${time.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`);
    writeFileSync(path, threadText(id, time, i));
    utimesSync(path, at / 1000, at / 1000);
  }
}

function threadText(id: string, timestamp: string, i: number): string {
  const cwd = `/repo/${i % 20}`;
  const base_instructions = { text: 'Be helpful. '.repeat(200) };
  const message = (role: string, type: string, text: string): object => ({
    type: 'message',
    role,
    content: [{ type, text }],
  });
  const context = { turn_id: 't', cwd, approval_policy: 'never', sandbox_policy: { type: 'read-only' }, model: 'm' };
  const lines: readonly (readonly [string, object])[] = [
    ['session_meta', { id, timestamp, cwd, source: 'exec', base_instructions, history_mode: 'paginated' }],
    ['event_msg', { type: 'task_started', turn_id: 't' }],
    ['turn_context', { ...context, summary: 'auto' }],
    ['response_item', message('user', 'input_text', `Please look for needle-${i} in the ${i % 97} haystacks.`)],
    ['response_item', message('assistant', 'output_text', `I looked at all of them. ${'It took long. '.repeat(20)}`)],
    ['event_msg', { type: 'task_complete', turn_id: 't', last_agent_message: 'done' }],
  ];
  return lines.map(([type, payload], ordinal) => `${JSON.stringify({ timestamp, ordinal, type, payload })}\n`).join('');
}
