import type { CheckpointReport } from '../../protocol/checkpoint-report.ts';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { WantedCompaction } from '../parts/compaction-result.ts';
import type { Turn } from '../parts/parts.ts';
import { warnOnce } from '../parts/warn-once.ts';

/** How long a hook may take. A turn without its opinion is better than one that hangs. */
const patienceMs = 60_000;

/** What a hook says against the compaction, if anything. One that breaks or takes too long has no opinion. */
export async function hookAgainst(
  turn: Turn,
  wanted: WantedCompaction,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { threadId, turnId, envelope, parts } = turn;
  const { trigger, reason, phase, focus } = wanted;
  const about = { threadId, turnId, cwd: envelope.workspace.cwd, trigger, reason, phase, ...defined({ focus }) };
  const hook = async () => reasonIn(await parts.checkpointHooks?.before?.(about));
  const said = await guarded(turn, 'before', { hook, signal });
  const against = said ?? (await askConfigured(turn, 'PreCompact', { trigger, signal }));
  if (against === undefined) return undefined;
  const outcome = stopped(against);
  // A caller that asked for it gets the answer; of what the thread wanted by itself the user is warned once.
  if (trigger === 'auto') warnOnce(turn, outcome, 'message');
  return outcome;
}

export async function tellHook(turn: Turn, report: CheckpointReport, signal: AbortSignal): Promise<void> {
  const hook = async () => turn.parts.checkpointHooks?.after?.(report);
  await guarded(turn, 'after', { hook, signal });
  turn.parts.hooks?.compacted();
  const { trigger } = report;
  if ((await askConfigured(turn, 'PostCompact', { trigger, signal })) !== undefined) turn.memory.endedBy = 'hook';
}

/** Those of the configuration. Why one of them wants it to end here, if one does. */
async function askConfigured(
  turn: Turn,
  event: 'PreCompact' | 'PostCompact',
  { trigger, signal }: { readonly trigger: 'manual' | 'auto'; readonly signal: AbortSignal },
): Promise<string | undefined> {
  if (turn.parts.hooks?.wants(event, [trigger]) !== true) return undefined;
  const { runHooks } = await import('../hooks/run-hooks.ts');
  return (await runHooks(turn, { event, subjects: [trigger], about: { trigger }, signal })).stopped;
}

/** A program's own code: whatever it does, the turn continues. */
async function guarded<Answer>(
  { parts, log }: Turn,
  name: 'before' | 'after',
  { hook, signal }: { readonly hook: () => Promise<Answer>; readonly signal: AbortSignal },
): Promise<Answer | undefined> {
  if (parts.checkpointHooks === undefined) return undefined;
  const done = new AbortController();
  const waited = parts.clock.sleep(patienceMs, AbortSignal.any([signal, done.signal])).then(() => undefined);
  try {
    const answered = await Promise.race([hook().then((answer) => ({ answer })), waited]);
    if (answered !== undefined) return answered.answer;
    if (!signal.aborted) log.tell({ kind: 'warning', outcome: broken(name, 'it took too long') });
  } catch (error) {
    log.tell({ kind: 'warning', outcome: broken(name, error instanceof Error ? error.message : String(error)) });
  } finally {
    // With a reason of its own: the default one is an error with a stack.
    done.abort('answered');
  }
  return undefined;
}

/** A program need not be written in TypeScript: it may answer anything. */
function reasonIn(answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  const reason = typeof answer === 'object' && 'reason' in answer ? answer.reason : undefined;
  if (typeof reason !== 'string') throw new Error('it must return nothing or a reason, and returned something else');
  return reason;
}

function stopped(reason: string): Outcome {
  return {
    code: 'stopped-by-hook',
    message: `A hook stopped the compaction: ${reason}`,
    next: 'The history is unchanged. Change the hook or what it checks, then compact again.',
  };
}

function broken(name: 'before' | 'after', why: string): Outcome {
  return {
    code: 'hook-failed',
    message: `The hook that runs ${name} a checkpoint failed: ${why}`,
    next: 'The thread continues without the hook. Fix the hook.',
  };
}
