import { refusalReason } from '../../core/fragments/answers/tool-calls.ts';
import { type CallReport, parseCallReport } from '../../core/state/recorded/call-answers.ts';
import { installBubblewrap, refusalSentences } from '../../ports/sandbox.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { quoteShellCommand, type EnvironmentVariables } from '../../protocol/shell.ts';
import type { ScriptedModel } from '../../testing/index.ts';
import { canRewriteLines } from '../views/terminal/screen.ts';
import { paint, type TextLook, wantsColor } from '../views/terminal/styled-text.ts';
import { type SizedStream, terminalWidth, wrap } from '../views/terminal/visible-text.ts';
import type { DemoFolders } from './demo-folders.ts';
import { callOutputs, engineTexts, sentItems } from './scripted-model.ts';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type DemoTrouble = Outcome<'demo-no-place' | 'demo-no-sandbox' | 'demo-turn-failed' | 'demo-unexpected'>;

const report = 'This should not happen. Please report it, with everything above.';
export const unexpectedTrouble = (message: string): DemoTrouble => ({ code: 'demo-unexpected', message, next: report });

/** Why the story cannot go on after a turn: it had no sandbox, or it did not finish. Undefined if it can. */
export function turnTrouble({ reports, end }: PlayedTurn): DemoTrouble | undefined {
  const refused = reports.find((report) => report.output.startsWith('Not run: '));
  if (refused !== undefined) return sandboxTrouble(refused.output);
  if (end.code === 0) return undefined;
  const how = end.signal ?? `exit code ${end.code}`;
  return { code: 'demo-turn-failed', message: `The demo's turn did not finish (${how}).`, next: report };
}

/** The answer sent to the model says why nothing runs, and what helps. */
function sandboxTrouble(answer: string): DemoTrouble {
  // The demo does not take this option; it uses Landlock without asking.
  const message = refusalReason(answer).replace(` ${refusalSentences.withoutSandbox}`, '');
  const isMissing = message.includes(refusalSentences.noBubblewrap);
  const install = isMissing ? installCommand(process.env['PATH'] ?? '') : undefined;
  const next = install === undefined ? 'Then run this again.' : `To install it: ${install}`;
  return { code: 'demo-no-sandbox', message, next };
}

function installCommand(path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return installBubblewrap((program) => folders.some((folder) => existsSync(join(folder, program))));
}

export interface DemoParts {
  readonly page: DemoPage;
  readonly place: DemoFolders;
  readonly model: ScriptedModel;
  readonly env: EnvironmentVariables;
  readonly signal: AbortSignal;
}

interface TurnAsked {
  readonly options: readonly string[];
  readonly words: string;
  readonly meanwhile?: (process: ExecProcess) => Promise<void>;
}

export interface PlayedTurn {
  readonly end: Awaited<ExecProcess['ended']>;
  /** Additions of the engine to the first request of the turn: neither the model's items nor the user's words. */
  readonly told: readonly string[];
  readonly reports: readonly CallReport[];
}

/** Runs `capstan exec` for one turn; its output is visible to the reader. */
export async function playTurn(stage: DemoParts, { options, words, meanwhile }: TurnAsked): Promise<PlayedTurn> {
  const { page, model } = stage;
  page.command(quoteShellCommand(['capstan', 'exec', ...options, words]));
  const before = model.requests.length;
  const process = startExec([...options, words], stage);
  await meanwhile?.(process);
  const end = await process.ended;
  const [first, last] = [model.requests[before], model.requests.at(-1)];
  if (first === undefined || last === undefined) return { end, told: [], reports: [] };
  const known = before === 0 ? 0 : sentItems(model.requests[before - 1]!).length;
  const told = engineTexts(sentItems(first).slice(known)).filter((text) => text !== words);
  return { end, told, reports: callOutputs(sentItems(last).slice(sentItems(first).length)).map(parseCallReport) };
}

type ExecProcess = ReturnType<typeof startExec>;

const graceMs = 3000;
const standardOutput = 1;

/** Starts this program as `capstan exec`, which prints directly to the demo's output. The signal ends it. */
function startExec(words: readonly string[], { place, env, signal }: Pick<DemoParts, 'place' | 'env' | 'signal'>) {
  const program = [process.argv[1] ?? '', 'exec', ...words];
  const cwd = place.project;
  const child = spawn(process.execPath, program, { cwd, env, stdio: ['ignore', 'ignore', standardOutput] });
  let grace: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    grace = setTimeout(() => child.kill('SIGKILL'), graceMs);
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const ended = Promise.withResolvers<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>();
  const end = (code: number | null, by: NodeJS.Signals | null): void => {
    clearTimeout(grace);
    signal.removeEventListener('abort', stop);
    ended.resolve({ code, signal: by });
  };
  child.on('error', () => end(null, null));
  child.on('exit', end);
  return {
    ended: ended.promise,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: () => child.kill('SIGKILL'),
  };
}

type Paper = SizedStream & { write(text: string): void };

const widest = 80;

/** The demo's own text, printed between the output of the processes that it starts. */
export class DemoPage {
  readonly isLive: boolean;
  readonly #paper: Paper;
  readonly #width: number;
  readonly #color: boolean;

  constructor(paper: Paper, env: EnvironmentVariables) {
    this.#paper = paper;
    this.#color = wantsColor(paper, 'auto', env);
    this.isLive = canRewriteLines(paper, env);
    this.#width = Math.min(widest, Math.max(40, terminalWidth(paper) ?? widest));
  }

  heading(text: string): void {
    this.gap();
    this.#line(text, 'bold');
  }

  paragraph(text: string, look?: TextLook): void {
    for (const line of wrap(text, this.#width)) this.#line(line, look);
  }

  command(text: string): void {
    this.#line(`> ${text}`, 'cyan');
  }

  gap(): void {
    this.#paper.write('\n');
  }

  #line(text: string, look?: TextLook): void {
    this.#paper.write(`${paint([look === undefined ? text : { look, text }], this.#color)}\n`);
  }
}
