import type { LiveThreads } from '../../../engine/live/live-thread-types.ts';
import { awaitClientAnswer } from '../../../engine/thread/open-questions.ts';
import { formatCount } from '../../../engine/wording.ts';
import type { AskUser } from '../../../ports/ask-user.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { ClientListeners, ThreadFeeds } from './client-listeners.ts';
import type { ServerApp, ServerResources, ServerTool } from './server-interface.ts';
import { LoadedThreads, threadResources } from './thread-resources.ts';
import { threadForkTool, threadPinTool, threadRollbackTool, threadUndoRollbackTool } from './tools/branch-tools.ts';
import { codexTools } from './tools/codex-tools.ts';
import { threadCompactTool, threadInterruptTool, threadOverrideTool } from './tools/control-tools.ts';
import { threadListTool, threadReadTool, threadSearchTool } from './tools/read-tools.ts';
import { refusalAnswer } from './tools/tool-answers.ts';
import { bindToolServices } from './tools/tool-definition.ts';
import type { ServedEngine, UnboundTool, ToolServices } from './tools/tool-definition.ts';
import { thrownAsOutcome, TurnRuns } from './tools/turn-runs.ts';
import { threadAnswerTool, threadSendTool, threadStartTool, threadTurnTool } from './tools/turn-tools.ts';
import { v1Tools } from './tools/v1-tools.ts';
import { threadContextTool, threadEnvelopeTool, threadReplayTool } from './tools/view-tools.ts';
import { setTimeout as wait } from 'node:timers/promises';

export type McpApp = ServerApp & { readonly resources: ServerResources };

/** `onQuestion` is `report` by default. */
export interface McpAppOptions extends Pick<ToolServices, 'cwd'>, Partial<Pick<ToolServices, 'onQuestion'>> {
  /** For this time only an asked client without a connection may answer a question. Absent: ten minutes. */
  readonly reservedMs?: number;
}

const usualReservedMs = 10 * 60_000;
const answeringMs = 250;

export function createMcpApp(engine: ServedEngine, live: LiveThreads, options: McpAppOptions): McpApp {
  const feeds = new ThreadFeeds();
  const { onQuestion = 'report' } = options;
  const openCalls = new Set<Promise<unknown>>();
  // If questions are declined, a turn learns that no one can be asked from the client of the newest call.
  let canAsk = false;
  const askUser: AskUser = { ...awaitClientAnswer, isThere: () => canAsk };
  const loaded = new LoadedThreads(live, onQuestion === 'decline' ? { askUser } : {});
  const tracked = (tool: ServerTool): ServerTool => ({
    ...tool,
    call(args, context) {
      canAsk = context.client.canAsk;
      const answer = tool.call(args, context);
      openCalls.add(answer);
      const forget = (): void => void openCalls.delete(answer);
      answer.then(forget, forget);
      return answer;
    },
  });
  const parts: ToolServices = {
    engine,
    live: loaded.live,
    feeds,
    listeners: new ClientListeners(),
    runs: new TurnRuns(feeds, { reservedMs: options.reservedMs ?? usualReservedMs }),
    cwd: options.cwd,
    onQuestion,
  };
  return {
    // The last ones are aliases: always callable, but listed only if a host requests them.
    tools: [...threadTools.map((row) => bindToolServices(row, parts)), ...v1Tools(parts), ...codexTools(parts)].map(
      (tool) => tracked(guarded(tool)),
    ),
    resources: threadResources(parts, loaded),
    callSecret: () => engine.secretFor('calls of mcp clients'),
    async close() {
      try {
        await live.close();
        await settledWithin(Promise.allSettled(openCalls), answeringMs);
      } finally {
        feeds.close();
        parts.listeners.close();
      }
    },
  };
}

/** A lost disk or a bug fails only the call that met it. Refuses arguments that are longer than any call needs. */
const guarded = (tool: ServerTool): ServerTool => ({
  ...tool,
  async call(args, context) {
    const tooLong = tooLongMember(args);
    if (tooLong !== undefined) return refusalAnswer(tooLong, { status: 'failed' });
    return tool.call(args, context).catch((error) => refusalAnswer(thrownAsOutcome(error)));
  },
});

/** Limits in characters: this one for names and keys, the next for any text but messages and instructions. */
const longestName = 256;
const longestText = 4096;
const names = new Set(['model', 'effort', 'summary', 'profile', 'permissions', 'approval_policy', 'sandbox']);
/** Text that people write; it has limits of its own. */
const isProse = /^(?:text|prompt|images|items|note|focus|add|content)$|_(?:instructions|prompt)$|^instructions$/;

/** Why the arguments of a call are refused before anything stores or repeats them; undefined if they are accepted. */
function tooLongMember(value: JsonObject): Outcome | undefined {
  for (const [key, member] of Object.entries(value)) {
    if (key.length > longestName) return tooLong(`The key "${key.slice(0, 60)}…"`, key.length, longestName);
    const found = tooLongValue(key, member);
    if (found !== undefined) return found;
  }
  return undefined;
}

function tooLongValue(key: string, value: Json | undefined): Outcome | undefined {
  // Keys of the configuration are paths, and older clients write names in camel case.
  const last = key.split('.').at(-1) ?? key;
  const name = last.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (isProse.test(name)) return undefined;
  const limit = names.has(name) ? longestName : longestText;
  if (typeof value === 'string') return value.length > limit ? tooLong(`"${key}"`, value.length, limit) : undefined;
  if (isJsonObject(value)) return tooLongMember(value);
  const members = Array.isArray(value) ? (value as readonly Json[]).values() : [].values();
  return members.map((each) => tooLongValue(key, each)).find((found) => found !== undefined);
}

const tooLong = (what: string, length: number, limit: number): Outcome => ({
  code: 'argument-too-long',
  message: `${what} has ${formatCount(length)} characters, and the limit is ${formatCount(limit)}.`,
  next: 'Nothing was changed. Call again with a shorter value.',
});

/** Resolves when the work is done or the time is over, and keeps the process alive until then. */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController();
  const late = wait(ms, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([work, late]).finally(() => over.abort());
}

const threadTools: readonly UnboundTool[] = [
  threadStartTool,
  threadSendTool,
  threadTurnTool,
  threadOverrideTool,
  threadCompactTool,
  threadInterruptTool,
  threadAnswerTool,
  threadListTool,
  threadReadTool,
  threadSearchTool,
  threadForkTool,
  threadRollbackTool,
  threadUndoRollbackTool,
  threadPinTool,
  threadContextTool,
  threadEnvelopeTool,
  threadReplayTool,
];
