import { truncateMiddle } from '../../core/fragments/text/truncate.ts';
import type { RunProgram } from '../../ports/commands.ts';
import type { HookOccasion, Hooks, HookWatch } from '../../ports/hooks.ts';
import type { Clock, IdSource } from '../../ports/system.ts';
import { stringAt } from '../../protocol/json.ts';
import type { HookEntry, HookEvent } from '../../protocol/thread-event.ts';
import { combineHookAnswers, hookEventRules, failedHookAnswer, parseHookAnswer } from './hook-answers.ts';
import type { EndedHook, HookAnswer, HookTextShortener } from './hook-answers.ts';
import { type HookDefinition, matchesHook, type CompiledMatchers } from './hook-definitions.ts';

export interface HooksOptions {
  readonly hooks: readonly HookDefinition[];
  readonly patterns: CompiledMatchers['patterns'];
  readonly run: RunProgram;
  /** The reason why a hook must not run now, as a sentence. Asked before each run. Absent: all may run. */
  refusal?(hook: HookDefinition): string | undefined;
  readonly shell: string;
  /** Asked before each run: the folders that commands may write change. */
  variables(): Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly texts: HookTextShortener;
  readonly starts: StartHookRecord;
}

const mostAsync = 8;
const outputBytes = 1_000_000;
const longestShown = 200;
const longestEntry = 1000;

export function createHookRunner(options: HooksOptions): Hooks {
  const { hooks, patterns } = options;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  let ended: EndedHook[] = [];
  let start: 'first' | 'compact' | undefined = 'first';
  const matching = (event: HookEvent, subjects?: readonly string[]): readonly HookDefinition[] =>
    hooks.filter((hook) => hook.event === event && matchesHook(hook.matcher, subjects, patterns));

  const runLater = (hook: HookDefinition, occasion: HookOccasion, mostTokens: number): void => {
    if (running.size >= mostAsync) {
      ended.push(endedHook(options, hook, failedHookAnswer(`${mostAsync} hooks run in the background already.`), 0));
      return;
    }
    const wait = async (): Promise<void> => {
      ended.push(onlyWords(await runHook(options, hook, occasion, { signal: closing.signal, mostTokens })));
    };
    const run = wait().finally(() => running.delete(run));
    running.add(run);
  };

  return {
    wants: (event, subjects) => matching(event, subjects).length > 0,
    names: (event, subjects) =>
      matching(event, subjects)
        .filter(({ isAsync }) => !isAsync)
        .map(({ statusMessage, command }) => short(firstLine(statusMessage ?? command), longestShown)),

    knows: (key) => hooks.some((hook) => hook.key === key),
    takeStart(place) {
      const cause = start;
      start = undefined;
      if (cause === undefined || (cause === 'first' && options.starts.holdsAt(place))) return undefined;
      options.starts.ranAt(place);
      return cause === 'first' ? (place.turns <= 1 ? 'startup' : 'resume') : cause;
    },

    takeEnd: (threadId) => options.starts.takeEnd(threadId),
    compacted: () => void (start ??= 'compact'),
    async run(occasion, watch) {
      const all = matching(occasion.event, occasion.subjects);
      for (const hook of all) if (hook.isAsync) runLater(hook, occasion, watch.mostTokens);
      const waited = all.filter(({ isAsync }) => !isAsync);
      let count = 0;
      const answers = await Promise.all(
        waited.map(async (hook) => ({ ...(await runHook(options, hook, occasion, watch)), place: count++ })),
      );
      return combineHookAnswers(answers, { cut: options.texts.cut, mostTokens: watch.mostTokens });
    },

    late() {
      if (ended.length === 0) return undefined;
      const taken = ended;
      ended = [];
      return combineHookAnswers(taken, { cut: options.texts.cut, mostTokens: Infinity });
    },

    async close() {
      closing.abort('closed');
      await Promise.all(running);
      options.texts.close();
    },
  };
}

async function runHook(
  options: HooksOptions,
  hook: HookDefinition,
  { event, input, cwd }: HookOccasion,
  { signal, mostTokens }: HookWatch,
): Promise<EndedHook> {
  const { run, shell, clock } = options;
  const from = clock.now();
  // Not a login shell: output of start-up files would be part of the answer, and a command may have written them.
  const program = { argv: [shell, '-c', hook.command], cwd, env: options.variables(), input: JSON.stringify(input) };
  const reason = options.refusal?.(hook);
  const end =
    reason === undefined
      ? await run(program, { signal, timeoutMs: hook.timeoutSeconds * 1000, outputBytes })
      : ({ kind: 'not-started', reason } as const);
  const answer = parseHookAnswer(event, end, { timeoutSeconds: hook.timeoutSeconds, outputBytes });
  const decided = answer.status === 'failed' && hook.failClosed ? closed(event, answer) : answer;
  const limit = Math.min(mostTokens, hook.contextLimit ?? Infinity);
  const context = decided.context === undefined ? undefined : options.texts.cut(decided.context, limit);
  return endedHook(options, hook, { ...decided, context }, clock.now() - from);
}

function endedHook({ ids }: HooksOptions, hook: HookDefinition, answer: HookAnswer, durationMs: number): EndedHook {
  const { key, event, command } = hook;
  const { status, context } = answer;
  const entries: readonly HookEntry[] = [
    ...answer.entries,
    ...changes(answer),
    ...(context === undefined ? [] : [{ kind: 'context', text: context } as const]),
  ];
  const run = {
    id: ids.uuid(),
    key,
    event,
    command: short(firstLine(command), longestShown),
    status,
    durationMs: Math.max(0, Math.round(durationMs)),
    entries: entries.map((entry) => ({ ...entry, text: short(entry.text, longestEntry) })),
  };
  return { run, answer, place: 0 };
}

function changes({ updatedInput, updatedOutput }: HookAnswer): readonly HookEntry[] {
  const input = updatedInput && (stringAt(updatedInput, 'command') ?? JSON.stringify(updatedInput));
  return [input, updatedOutput].flatMap((text) => (text === undefined ? [] : [{ kind: 'change', text } as const]));
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
const short = (text: string, limit: number): string => truncateMiddle(text, { mode: 'bytes', limit });

/** A failing `failClosed` hook blocks. The end of a turn and of a session is never blocked. */
function closed(event: HookEvent, answer: HookAnswer): HookAnswer {
  const { ifFailed } = hookEventRules[event];
  const reason = `A hook that must succeed failed. ${answer.entries[0]?.text ?? ''}`;
  return ifFailed === undefined ? answer : { ...answer, [ifFailed]: reason };
}

function onlyWords({ run, answer, place }: EndedHook): EndedHook {
  const { status, entries, context } = answer;
  return { run, place, answer: { status, entries, context } };
}

export interface SessionProgress {
  readonly threadId: string;
  /** Turns so far, including the running one. */
  readonly turns: number;
  readonly checkpoints: number;
}

/**
 * Records for each open session of this process at which place in the thread its start hooks ran. If a program closes
 * and reopens the thread, for example to pin a note, the hooks do not run again, unless their output was taken back or
 * compacted meanwhile.
 */
export class StartHookRecord {
  readonly #ran: Map<string, SessionProgress>;

  /** `ran`: by thread; the engine keeps it. */
  constructor(ran = new Map<string, SessionProgress>()) {
    this.#ran = ran;
  }

  ranAt(place: SessionProgress): void {
    this.#ran.set(place.threadId, place);
  }

  /** Ends the session of the thread. Returns whether one had started. */
  takeEnd(threadId: string): boolean {
    return this.#ran.delete(threadId);
  }

  holdsAt({ threadId, turns, checkpoints }: SessionProgress): boolean {
    const ran = this.#ran.get(threadId);
    return ran !== undefined && turns > ran.turns && checkpoints === ran.checkpoints;
  }
}
