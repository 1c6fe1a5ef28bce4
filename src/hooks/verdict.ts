import type { HookVerdict } from '../ports/hooks.ts';
import { defined } from '../protocol/defined.ts';
import type { HookRun } from '../protocol/hook-run.ts';
import type { HookAnswer } from './hook-answer.ts';
import type { CutHookText } from './save-output.ts';

export interface EndedHook {
  readonly run: HookRun;
  readonly answer: HookAnswer;
  /** In the order in which they ended. */
  readonly place: number;
}

/** So many texts of full length at one moment; more of them share this. */
const mostTexts = 2;
const leastTokens = 100;

/** What hooks that ran at the same time say together. A no wins over everything, and a question over a yes. */
export function verdictOf(
  all: readonly EndedHook[],
  { cut, mostTokens }: { readonly cut: CutHookText; readonly mostTokens: number },
): HookVerdict {
  const said = all.filter(({ answer }) => answer.context !== undefined);
  const each = Math.max(leastTokens, Math.floor((mostTexts * mostTokens) / Math.max(1, said.length)));
  const last = all.toSorted((a, b) => b.place - a.place).map(({ answer }) => answer);
  const no = all.find(({ answer }) => answer.blocked !== undefined);
  const stop = all.find(({ answer }) => answer.stopped !== undefined);
  const decided = (['ask', 'allow'] as const).flatMap((kind) =>
    all.filter(({ answer }) => answer.decision === kind),
  )[0];
  const change = last.find(({ updatedInput }) => updatedInput !== undefined);
  const output = last.find(({ updatedOutput }) => updatedOutput !== undefined);
  return {
    runs: all.map(({ run }) => run),
    contexts: said.map(({ run, answer }) => ({
      key: run.key,
      text: cut(answer.context ?? '', Math.min(each, mostTokens)),
    })),
    prompts: all.flatMap(({ run, answer }) =>
      answer.blocked === undefined ? [] : [{ runId: run.id, text: cut(answer.blocked, mostTokens) }],
    ),
    ...defined({
      blocked: no?.answer.blocked === undefined ? undefined : cut(no.answer.blocked, mostTokens),
      stopped: stop?.answer.stopped,
      decision: decided?.answer.decision,
      decisionReason: decided?.answer.decisionReason,
      updatedInput: no === undefined ? change?.updatedInput : undefined,
      updatedOutput: output?.updatedOutput,
    }),
  };
}
