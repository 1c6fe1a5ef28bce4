import type { LiveThreads } from '../engine/live/live-thread.ts';
import { ClientListeners } from './events/client-listeners.ts';
import { ThreadFeeds } from './events/thread-feed.ts';
import { LoadedThreads } from './resources/loaded-threads.ts';
import { threadResources } from './resources/thread-resources.ts';
import type { ServerApp } from './offer/server-app.ts';
import type { ServerResources, ServerTool } from './offer/server-tool.ts';
import { tooLongArgument } from './tools/argument-limits.ts';
import { refusedAnswer } from './tools/call-answers.ts';
import { compatTools } from './tools/compat/compat-tools.ts';
import { lostOutcome } from './tools/lost-outcome.ts';
import { NewestClient } from './tools/newest-client.ts';
import { OpenCalls } from './tools/open-calls.ts';
import { threadTools } from './tools/thread-tools.ts';
import type { OnQuestion, ServedEngine, ToolParts } from './tools/tool-parts.ts';
import { TurnRuns } from './tools/turn-runs.ts';

/** What the server offers: threads of an engine, for clients of any revision and transport. */
export interface McpApp extends ServerApp {
  readonly resources: ServerResources;
}

export interface McpAppOptions {
  /** Where threads start that name no folder. */
  readonly cwd: string;
  /** What becomes of a question when a client cannot ask its user. Absent: `report`. */
  readonly onQuestion?: OnQuestion;
  /**
   * So long no other client may answer a question that a client without a connection asks its user, and does not come back
   * for. Absent: ten minutes.
   */
  readonly reservedMs?: number;
}

const usualReservedMs = 10 * 60_000;

/** What calls are given to answer once their threads are closed. */
const answeringMs = 250;

export function createMcpApp(engine: ServedEngine, live: LiveThreads, options: McpAppOptions): McpApp {
  const feeds = new ThreadFeeds();
  const { onQuestion = 'report' } = options;
  const newest = new NewestClient();
  const calls = new OpenCalls();
  const loaded = new LoadedThreads(live, onQuestion === 'decline' ? { askUser: newest.askUser } : {});
  const parts: ToolParts = {
    engine,
    live: loaded.live,
    feeds,
    listeners: new ClientListeners(),
    runs: new TurnRuns(feeds, { reservedMs: options.reservedMs ?? usualReservedMs }),
    cwd: options.cwd,
    onQuestion,
  };
  return {
    tools: [...threadTools(parts), ...compatTools(parts)].map((tool) => calls.counting(newest.noticing(guarded(tool)))),
    resources: threadResources(parts, loaded),
    callSecret: () => engine.secretFor('calls of mcp clients'),
    async close() {
      try {
        await live.close();
        await calls.answered(answeringMs);
      } finally {
        feeds.close();
        parts.listeners.close();
      }
    },
  };
}

/** A lost disk or a bug answers the call it met, and ends nothing else. What no call needs so long does not come in. */
function guarded(tool: ServerTool): ServerTool {
  return {
    ...tool,
    async call(args, context) {
      const tooLong = tooLongArgument(args);
      if (tooLong !== undefined) return refusedAnswer(tooLong, notBegun);
      return tool.call(args, context).catch((error) => refusedAnswer(lostOutcome(error)));
    },
  };
}

const notBegun = { status: 'failed' };
