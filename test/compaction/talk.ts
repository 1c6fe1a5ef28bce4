import { answer, callTool, hang, say, type ScriptStep, type ScriptStepOf } from '../../src/testing/index.ts';
import type { LiveThread } from '../harness/live-thread.ts';
import { checkpointText, isCompaction, saysCheckpoint } from './summariser.ts';

export const task = 'Build the parser.';
/** About 25,000 tokens. */
export const long = 'word '.repeat(25_000);
/** A thread is full after one long answer. */
export const smallLimit = 'model_auto_compact_token_limit = 20000';

/** Says something long, and is not counted: what a thread holds is known by estimate. */
export function saysLong(...more: Parameters<typeof callTool>[]): ScriptStep {
  return answer({ items: [say(long), ...more.map((call) => callTool(...call))], usage: 'none' });
}

export function says(text: string): ScriptStep {
  return answer({ items: [say(text)], usage: 'none' });
}

export function calls(command: string): ScriptStep {
  return answer({ items: [callTool('exec_command', { cmd: command })], usage: 'none' });
}

/** Takes the request and says nothing. */
export const hangs: ScriptStepOf = () => hang({ afterBytes: 0, of: answer({ items: [] }) });

export const compacts: ScriptStepOf = () => saysCheckpoint(checkpointText(task, [task]));

/** A model that talks step by step, and sums up whenever it is asked to. */
export function talk(steps: readonly (ScriptStep | ScriptStepOf)[], compaction: ScriptStepOf = compacts): ScriptStepOf {
  const left = [...steps];
  return (request) => {
    if (isCompaction(request)) return compaction(request);
    const next = left.length > 1 ? left.shift()! : left[0]!;
    return typeof next === 'function' ? next(request) : next;
  };
}

const lifecycle = /^(turn|checkpoint)-|^warning$/;

/** The turns and checkpoints as people are told of them, from an event on. */
export function story({ events }: LiveThread, from = 0): readonly string[] {
  return events.slice(from).flatMap((event) => (lifecycle.test(event.kind) ? [event.kind + wordOf(event)] : []));
}

function wordOf(event: LiveThread['events'][number]): string {
  if (event.kind === 'checkpoint-started') return ` ${event.trigger} ${event.reason} ${event.phase}`;
  if (event.kind === 'checkpoint-failed') return ` ${event.outcome.code}${event.paused ? ' paused' : ''}`;
  return event.kind === 'warning' || event.kind === 'turn-failed' ? ` ${event.outcome.code}` : '';
}

/** `step` or `checkpoint` for each request so far. */
export function requestKinds({ model }: LiveThread): readonly string[] {
  return model.requests.map((request) => (isCompaction(request) ? 'checkpoint' : 'step'));
}

/** Lines of a type, or of an event's type. */
export function linesOf({ place }: LiveThread, type: string) {
  return place.lines().filter((line) => line.type === type || line.payload['type'] === type);
}
