import type { Settings } from '../../envelope/settings.ts';
import { unknownToolIn } from '../../envelope/tool-choice.ts';
import type { PastServers } from '../../mcp/thread-servers.ts';
import type { ToolSpec } from '../../ports/prompt.ts';
import { callableTools } from '../../protocol/client-tool.ts';
import { defined } from '../../protocol/defined.ts';
import { equalJson, type JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { instructionsOf, type ThreadState } from '../../state/thread-state.ts';
import { lastSettings, type LastSettings } from '../../state/resumed-settings.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { ThreadParts } from '../../thread/parts/parts.ts';
import { unusableKey } from '../../thread/branch/unusable-key.ts';
import { nameClash } from '../../tools/own-tool.ts';
import { toldProblems } from '../../world/told-problems.ts';
import { type ConfiguredThread, configureThread, type ThreadPlace } from './configure-thread.ts';
import type { EngineParts } from './engine-parts.ts';
import { createThreadParts } from './thread-parts.ts';
import type { ThreadRequest } from './thread-request.ts';
import { provenStart, standingOf } from './thread-standing.ts';

export interface PreparedThread {
  readonly parts: ThreadParts;
  readonly settings: Settings;
  readonly profileName?: string;
  readonly notices: readonly Outcome[];
}

/** What a thread in a folder works with, and what is in force in it. `kept`: what was, when this engine gave it up. */
export async function prepareThread(
  engine: EngineParts,
  place: ThreadPlace,
  request: ThreadRequest,
  { kept, past }: { readonly kept?: Settings | undefined; readonly past?: PastServers } = {},
): Promise<PreparedThread | Outcome> {
  const configured = await configureThread(engine, { ...place, sends: true }, request);
  if ('code' in configured) return configured;
  const { config, models, notices, profileName, hooks, skillSwitches } = configured;
  const settings = kept ?? configured.settings;
  const unknown = await unknownTool(configured, request);
  if (unknown !== undefined) return unknown;
  const given = { config, models, settings, hooks, skillSwitches, request, ...defined({ past }) };
  const parts = await createThreadParts(engine, given);
  if ('code' in parts) return parts;
  return (
    nameClash(parts.router.clashes) ?? {
      parts,
      settings,
      notices,
      ...defined({ profileName }),
    }
  );
}

/** Checks a choice of tools. An agent keeps to what its parent chose, and may lack tools that the parent has. */
async function unknownTool(
  { config: { mcpServers = {} }, settings: { clientTools = [] } }: Pick<ConfiguredThread, 'config' | 'settings'>,
  request: ThreadRequest,
): Promise<Outcome | undefined> {
  const { agent, tools = [], onlyTools, withoutTools } = request;
  if (agent !== undefined || (onlyTools === undefined && withoutTools === undefined)) return undefined;
  const { serverPrefix } = await import('../../mcp/tool-names.ts');
  const names = [...tools, ...callableTools(clientTools)].map(({ name }) => name);
  return unknownToolIn(request, { names, prefixes: Object.keys(mcpServers).map(serverPrefix) });
}

/** What a thread had when this engine gave it up. It counts unless another program has written other settings since. */
export interface KeptSettings {
  readonly settings: Settings;
  readonly last: LastSettings;
  /** It has no turn yet, and perhaps no file. */
  readonly isEmpty?: boolean;
}

/**
 * The same for a thread that is resumed: under its last settings, and in its own folder unless another one is given.
 * What this home did not write counts only as far as the configuration goes, and an imported thread works where the
 * command was started.
 */
export async function prepareToGoOn(
  engine: EngineParts,
  { id, state }: { readonly id: ThreadId; readonly state: ThreadState },
  request: ThreadRequest,
  given?: KeptSettings,
): Promise<PreparedThread | Outcome> {
  const last = lastSettings(state);
  const kept = given !== undefined && isSame(given.last, last) ? given.settings : undefined;
  const standing = await standingOf(engine, id, state);
  const proven = standing === 'ours' ? await provenStart(engine, id, state, last) : last;
  const own = standing === 'imported' ? undefined : last.cwd;
  const cwd = kept?.cwd ?? request.cwd ?? own ?? engine.options.cwd;
  const prepared = await prepareThread(engine, { cwd, resumed: { id, last: proven, standing } }, request, {
    kept,
    past: { held: lastTools(state), problems: toldProblems(state.baseline) },
  });
  if ('code' in prepared) return prepared;
  const problem = engine.seals.problem();
  const notices = [
    ...(problem === undefined ? [] : [unusableKey(problem)]),
    ...prepared.notices,
    ...withoutEffect(state, prepared.settings),
  ];
  return { ...prepared, notices };
}

/** What stands before the conversation in the thread's requests. */
function lastTools({ sent, toolSets }: ThreadState): readonly ToolSpec[] | undefined {
  return sent?.kind === 'request' ? toolSets.get(sent.record.toolSet) : undefined;
}

function isSame(one: LastSettings, other: LastSettings): boolean {
  return equalJson(one as unknown as JsonObject, other as unknown as JsonObject);
}

/** A flag that asks for other base instructions than the thread has: they are the beginning of every request. */
function withoutEffect(state: ThreadState, { baseInstructions: wanted, origins = {} }: Settings): readonly Outcome[] {
  const kept = instructionsOf(state);
  if (origins['baseInstructions'] !== 'flags' || kept === undefined || kept.text === wanted) return [];
  return [
    {
      code: 'instructions-kept',
      message: 'The instructions on the command line have no effect: a thread keeps the ones it started with.',
      next: 'Use developer_instructions for this thread, or start a new one.',
    },
  ];
}
