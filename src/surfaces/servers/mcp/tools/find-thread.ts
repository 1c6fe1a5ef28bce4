import type { LiveThread } from '../../../../engine/live/live-thread-types.ts';
import type { ThreadLines } from '../../../../engine/store/stored-threads.ts';
import type { ThreadId } from '../../../../protocol/ids.ts';
import { type JsonObject, stringAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { CallContext } from '../server-interface.ts';
import { refusalAnswer } from './tool-answers.ts';
import type { ServedEngine, UnboundTool, ToolServices } from './tool-definition.ts';

type Call<Found> = (
  parts: ToolServices,
  found: Found,
  args: JsonObject,
  context: CallContext,
) => ReturnType<UnboundTool['call']>;

/** The call of a tool about a stored thread. */
export function withThreadId(call: Call<ThreadId>): UnboundTool['call'] {
  return async (parts, args, context) => {
    const id = await findThreadId(parts, stringAt(args, 'thread_id') ?? '');
    return typeof id === 'string' ? call(parts, id, args, context) : refusalAnswer(id);
  };
}

/** The call of a tool about a thread that is ready for turns. */
export function withLiveThread(call: Call<LiveThread>): UnboundTool['call'] {
  return async (parts, args, context) => {
    const thread = await findLiveThread(parts, stringAt(args, 'thread_id') ?? '');
    return 'code' in thread ? refusalAnswer(thread) : call(parts, thread, args, context);
  };
}

/** Finds a thread by its id, the beginning of it, or its name. Loads nothing. */
async function findThreadId({ engine, live }: FindParts, name: string): Promise<ThreadId | Outcome> {
  // A thread without a turn has no file yet.
  if (live.knows(name)) return name as ThreadId;
  if (name.trim() === '') return noName;
  const chosen = await engine.stored.choose({ kind: 'named', name, archived: true, unique: true });
  if (chosen.kind === 'none') return asTool(chosen);
  if ((await engine.stored.location(chosen.id)) !== undefined) return chosen.id;
  return asTool({ code: 'thread-unknown', message: `There is no thread ${chosen.id}.`, next: '' });
}

function asTool({ code, message }: Outcome): Outcome {
  return { code, message, next: 'Call thread_list to see the threads, and use an id from it.' };
}

/** Makes the thread ready for turns. `cwd`: where the caller moves it to; then its own folder may be gone. */
export async function findLiveThread(parts: FindParts, name: string, cwd?: string): Promise<LiveThread | Outcome> {
  const id = await findThreadId(parts, name);
  if (typeof id !== 'string') return id;
  const thread = await parts.live.load(id);
  if (thread.kind !== 'refused') return thread;
  const { outcome } = thread;
  if (outcome.code !== 'folder-missing') return outcome;
  if (cwd === undefined) return { ...outcome, next: 'Create it, or call thread_override with another cwd.' };
  const moved = await parts.live.load(id, { folderMayBeMissing: true });
  return moved.kind === 'refused' ? moved.outcome : moved;
}

type FindParts = Pick<ToolServices, 'engine' | 'live'>;

const noName: Outcome = {
  code: 'thread-unknown',
  message: 'The call names no thread.',
  next: 'Give the id that thread_start or thread_list gave.',
};

/** The lines of a known thread. One without a turn has no file yet, and so no lines. */
export const readThreadLines = async ({ stored }: Pick<ServedEngine, 'stored'>, id: ThreadId): Promise<ThreadLines> =>
  (await stored.location(id)) === undefined ? { lines: [], skipped: 0 } : stored.read(id);
