import { resolve } from 'node:path';
import { homedir } from 'node:os';
import { parseThreadId } from '../../protocol/ids.ts';
import { Fault, type Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { version } from '../../protocol/version.ts';
import { Engine, type EngineRefused, type OpenedThread } from '../engine.ts';
import { type ExecArguments, execUsage, parseExecArguments } from './arguments.ts';
import { jsonOutput, type Output, plainOutput } from './output.ts';
import { readStandardInput } from './stdin.ts';

/** `capstan exec`: one turn, then the exit code. 0: completed; 1: failed, interrupted or refused; 2: wrong usage. */
export async function runExec(words: readonly string[]): Promise<number> {
  const asked = parseExecArguments(words);
  if ('code' in asked) return complain(asked, 2);
  if (asked.help) {
    process.stdout.write(execUsage);
    return 0;
  }
  const prompt = asked.prompt ?? (await readStandardInput());
  if (prompt.trim() === '') {
    return complain({ message: 'There is no prompt.', next: 'Give it as an argument or on standard input.' }, 1);
  }
  try {
    return await runTurn(asked, prompt);
  } catch (error) {
    if (error instanceof Fault) return complain(error, 1);
    throw error;
  }
}

async function runTurn(asked: ExecArguments, prompt: string): Promise<number> {
  const engine = await Engine.load({
    env: process.env,
    osHome: homedir(),
    cwd: process.cwd(),
    client: { name: process.env['CODEX_INTERNAL_ORIGINATOR_OVERRIDE'] ?? 'capstan_exec', version, source: 'exec' },
    overrides: overridesOf(asked),
    // Nobody is there to be asked.
    approval: 'never',
  });
  if (engine.kind === 'refused') return complain(engine.outcome, 1);
  const output: Output = asked.json ? jsonOutput() : plainOutput();
  for (const notice of engine.notices) output.notice(notice);

  const opened = await openThread(engine, asked, (event) => output.event(event));
  if (opened.kind === 'refused') return complain(opened.outcome, 1);
  output.start(opened);
  for (const notice of opened.notices) output.notice(notice);
  const interrupt = new AbortController();
  const stop = (): void => interrupt.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const result = await opened.thread.run(prompt, interrupt.signal);
    return result.kind === 'completed' ? 0 : 1;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await opened.thread.close();
  }
}

async function openThread(
  engine: Engine,
  asked: ExecArguments,
  listener: (event: ThreadEvent) => void,
): Promise<OpenedThread | EngineRefused> {
  const cwd = asked.cwd === undefined ? undefined : resolve(asked.cwd);
  if (asked.resume === undefined) return engine.start({ listener, cwd: cwd ?? process.cwd() });
  const id = parseThreadId(asked.resume);
  if (id === undefined) {
    const message = `${JSON.stringify(asked.resume)} is not the id of a thread.`;
    return {
      kind: 'refused',
      outcome: { code: 'thread-unknown', message, next: 'Use the id that the thread printed when it started.' },
    };
  }
  return engine.resume(id, cwd === undefined ? { listener } : { listener, cwd });
}

/** Options are short for configuration keys; `-c` comes first, so that the plain option wins. */
function overridesOf({ overrides, model, sandbox }: ExecArguments): readonly string[] {
  return [
    ...overrides,
    ...(model === undefined ? [] : [`model=${JSON.stringify(model)}`]),
    ...(sandbox === undefined ? [] : [`sandbox_mode=${JSON.stringify(sandbox)}`]),
  ];
}

function complain({ message, next }: Pick<Outcome, 'message' | 'next'>, code: number): number {
  process.stderr.write(`capstan: ${message}\n${next === '' ? '' : `         ${next}\n`}`);
  return code;
}
