import type { Variables } from '../../protocol/variables.ts';
import { shellWords } from '../../protocol/shell-words.ts';
import type { ScriptedModel } from '../../testing/index.ts';
import { type CallReport, readCallReport } from '../../state/call-report.ts';
import { type ExecProcess, startExec } from './exec-process.ts';
import type { Page } from './page.ts';
import type { DemoFolders } from './place.ts';
import { callOutputs, sentItems, textsOfEngine } from './sent-items.ts';

/** What every part of the demo works with. */
export interface Stage {
  readonly page: Page;
  readonly place: DemoFolders;
  readonly model: ScriptedModel;
  readonly env: Variables;
  readonly signal: AbortSignal;
}

interface TurnAsked {
  /** Options of `exec`, and `resume`. */
  readonly options: readonly string[];
  readonly words: string;
  /** Called when the process has started. */
  readonly meanwhile?: (process: ExecProcess) => Promise<void>;
}

/** A turn as the scripted model saw it, and the end of its process. */
export interface TurnSeen {
  readonly end: Awaited<ExecProcess['ended']>;
  /** What the engine added to the first request of the turn: neither the model's own items nor the user's words. */
  readonly told: readonly string[];
  /** The answers to the model's calls in this turn, in order. */
  readonly reports: readonly CallReport[];
}

/** Runs `capstan exec` for one turn. It shows itself. */
export async function playTurn(stage: Stage, { options, words, meanwhile }: TurnAsked): Promise<TurnSeen> {
  const { page, place, model, env, signal } = stage;
  page.command(shellWords(['capstan', 'exec', ...options, words]));
  const before = model.requests.length;
  const process = startExec([...options, words], { cwd: place.project, env, signal });
  await meanwhile?.(process);
  const end = await process.ended;
  const [first, last] = [model.requests[before], model.requests.at(-1)];
  if (first === undefined || last === undefined) return { end, told: [], reports: [] };
  const known = before === 0 ? 0 : sentItems(model.requests[before - 1]!).length;
  const told = textsOfEngine(sentItems(first).slice(known)).filter((text) => text !== words);
  const reports = callOutputs(sentItems(last).slice(sentItems(first).length)).map(readCallReport);
  return { end, told, reports };
}
