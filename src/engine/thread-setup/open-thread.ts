import { readGuard } from '../../adapters/gather/files/read-guard.ts';
import { findRepository, readGitFacts } from '../../adapters/gather/git/repository.ts';
import type { ServerHistory } from '../../adapters/mcp/thread-servers.ts';
import { toolNameClash } from '../../adapters/tools/own-tool.ts';
import { defined } from '../../base/objects.ts';
import type { Envelope } from '../../core/envelope/envelope.ts';
import { type Settings, unknownToolIn } from '../../core/envelope/settings.ts';
import { agentIdentityIn } from '../../core/state/fold/agents.ts';
import { lastSettings, restoredSettings } from '../../core/state/resumed-settings.ts';
import type { LastSettings, RestoredSettings } from '../../core/state/resumed-settings.ts';
import { instructionsOf, type ThreadState } from '../../core/state/thread-state.ts';
import { mcpProblemsInBaseline } from '../../core/world/tell-world.ts';
import type { NewestLine } from '../../ports/thread-store.ts';
import { callableTools } from '../../protocol/client-tool.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { equalJson, type JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadCut } from '../../protocol/thread.ts';
import type { EngineParts } from '../engine-parts.ts';
import { type EngineRefused, engineRefused } from '../engine-refused.ts';
import { resumeNotices } from '../store/thread-notices.ts';
import { findThreadOrigin, provenStartSettings, unusableKeyNotice } from '../store/thread-origin.ts';
import type { ThreadRequest } from '../thread-request.ts';
import { openProvenThread } from '../thread/branch/unproven-lines.ts';
import type { ThreadParts } from '../thread/thread-parts.ts';
import { Thread } from '../thread/thread.ts';
import { type ConfiguredThread, configureThread, type ThreadSetupInput } from './configure-thread.ts';
import { createThreadParts } from './create-thread-parts.ts';

export interface OpenedThread {
  readonly kind: 'opened';
  readonly thread: Thread;
  /** Frozen, deeply. */
  readonly settings: Settings;
  readonly profileName?: string;
  /** Taken from the thread's own past; absent for a new one. */
  readonly restored?: RestoredSettings;
  /** Absent where the store does not report it. */
  readonly newest?: NewestLine;
  /** Repairs and unreadable lines among others, for the user. */
  readonly notices: readonly Outcome[];
}

export async function startThread(
  engine: EngineParts,
  request: ThreadRequest & { readonly cwd: string },
  again: { readonly id?: ThreadId; readonly kept?: Settings } = {},
): Promise<OpenedThread | EngineRefused> {
  const prepared = await prepareThread(engine, { cwd: request.cwd }, request, again);
  if ('code' in prepared) return engineRefused(prepared);
  const { parts, settings, notices, profileName } = prepared;
  const thread = await Thread.start(parts, { ...request, settings }, gitFacts, again.id ?? request.agent?.id);
  if (!(thread instanceof Thread)) return engineRefused(thread);
  return { kind: 'opened', thread, settings: thread.settings, notices, ...defined({ profileName }) };
}

export async function resumeThread(
  engine: EngineParts,
  id: ThreadId,
  request: ThreadRequest,
  kept?: KeptSettings,
): Promise<OpenedThread | EngineRefused> {
  const store = request.ephemeral === true ? engine.ephemeralStore : engine.store;
  const resumed = await openProvenThread({ seals: engine.seals, store }, id);
  if (resumed.kind === 'refused') return engineRefused(resumed);
  const agent = agentIdentityIn(resumed.state.meta);
  const prepared = await prepareResumedThread(engine, resumed, { ...request, ...defined({ agent }) }, kept);
  if ('code' in prepared) {
    await resumed.owned.close();
    return engineRefused(prepared);
  }
  const { parts, settings, profileName } = prepared;
  const thread = await Thread.resume(parts, resumed, { ...request, settings });
  const notices = [...prepared.notices, ...resumeNotices(id, resumed, settings)];
  const restored = restoredSettings(resumed.state, settings);
  const { newest } = resumed.owned;
  return { kind: 'opened', thread, settings: thread.settings, restored, notices, ...defined({ profileName, newest }) };
}

/** Begins the fork and opens it. The fork has no name: a name leads to one thread, the source. */
export async function openFork(
  engine: EngineParts,
  { id, cut }: { readonly id: ThreadId; readonly cut: ThreadCut },
  request: ThreadRequest,
): Promise<OpenedThread | EngineRefused> {
  const { findForkPoint, forkThread } = await import('../thread/branch/fork-thread.ts');
  const point = await findForkPoint(engine.store, id, cut);
  if (point.kind === 'refused') return engineRefused(point);
  const prepared = await prepareResumedThread(engine, { id, state: point.state }, request);
  if ('code' in prepared) return engineRefused(prepared);
  const { parts, settings, profileName } = prepared;
  const forked = await forkThread(parts, point, { settings, gitFacts });
  if (forked.kind === 'refused') return engineRefused(forked);
  const thread = await Thread.resume(parts, forked, { ...request, settings });
  const notices = [...prepared.notices, ...resumeNotices(id, forked, settings)];
  return { kind: 'opened', thread, settings: thread.settings, notices, ...defined({ profileName }) };
}

function gitFacts({ workspace, policy }: Envelope): JsonObject | undefined {
  const root = findRepository(workspace.cwd);
  if (root === undefined) return undefined;
  return readGitFacts(root, { denies: readGuard(policy.resolved).deniesUser }) as JsonObject;
}

type PreparedThread = Pick<ConfiguredThread, 'settings' | 'profileName' | 'notices'> & { readonly parts: ThreadParts };

/** `kept`: the settings that were in force when this engine gave the thread up. */
async function prepareThread(
  engine: EngineParts,
  place: ThreadSetupInput,
  request: ThreadRequest,
  { kept, past }: { readonly kept?: Settings | undefined; readonly past?: ServerHistory } = {},
): Promise<PreparedThread | Outcome> {
  const configured = await configureThread(engine, { ...place, sends: true }, request);
  if ('code' in configured) return configured;
  const { config, models, notices, profileName, hooks, skillSwitches } = configured;
  const settings = kept ?? configured.settings;
  const unknown = await unknownTool(configured, request);
  if (unknown !== undefined) return unknown;
  const parts = await createThreadParts(engine, { config, models, settings, hooks, skillSwitches, request, past });
  if ('code' in parts) return parts;
  return toolNameClash(parts.router.clashes) ?? { parts, settings, notices, profileName };
}

/** Checks a choice of tools. An agent keeps to its parent's choice, and may lack tools that the parent has. */
async function unknownTool(
  { config: { mcpServers = {} }, settings: { clientTools = [] } }: Pick<ConfiguredThread, 'config' | 'settings'>,
  request: ThreadRequest,
): Promise<Outcome | undefined> {
  const { agent, tools = [], onlyTools, withoutTools } = request;
  if (agent !== undefined || (onlyTools === undefined && withoutTools === undefined)) return undefined;
  const { serverPrefix } = await import('../../adapters/mcp/listed-tools.ts');
  const names = [...tools, ...callableTools(clientTools)].map(({ name }) => name);
  return unknownToolIn(request, { names, prefixes: Object.keys(mcpServers).map(serverPrefix) });
}

/** Settings from when this engine gave the thread up. They count unless another program has written others since. */
export interface KeptSettings {
  readonly settings: Settings;
  readonly last: LastSettings;
  /** The thread has no turn yet, and perhaps no file. */
  readonly isEmpty?: boolean;
}

/**
 * Prepares a resumed thread: under its last settings, and in its own folder unless another one is given. Settings that
 * this home did not write count only as far as the configuration allows, and an imported thread works where the command
 * was started.
 */
export async function prepareResumedThread(
  engine: EngineParts,
  { id, state }: { readonly id: ThreadId; readonly state: ThreadState },
  request: ThreadRequest,
  given?: KeptSettings,
): Promise<PreparedThread | Outcome> {
  const last = lastSettings(state);
  const isSame = equalJson(given?.last as unknown as JsonObject, last as unknown as JsonObject);
  const kept = isSame ? given?.settings : undefined;
  const standing = await findThreadOrigin(engine, id, state);
  const proven = standing === 'ours' ? await provenStartSettings(engine, id, state, last) : last;
  const own = standing === 'imported' ? undefined : last.cwd;
  const cwd = kept?.cwd ?? request.cwd ?? own ?? engine.options.cwd;
  const { sent, toolSets, baseline } = state;
  const held = sent?.kind === 'request' ? toolSets.get(sent.record.toolSet) : undefined;
  const past = { held, problems: mcpProblemsInBaseline(baseline) };
  const resumed = { id, last: proven, standing };
  const prepared = await prepareThread(engine, { cwd, resumed }, request, { kept, past });
  if ('code' in prepared) return prepared;
  const problem = engine.seals.problem();
  const ofKey = problem === undefined ? [] : [unusableKeyNotice(problem)];
  return { ...prepared, notices: [...ofKey, ...prepared.notices, ...withoutEffect(state, prepared.settings)] };
}

/** Warns that base instructions from a flag have no effect, since every request of the thread begins with its own. */
function withoutEffect(state: ThreadState, { baseInstructions: wanted, origins = {} }: Settings): readonly Outcome[] {
  const kept = instructionsOf(state);
  if (origins['baseInstructions'] !== 'flags' || kept === undefined || kept.text === wanted) return [];
  const message = 'The instructions on the command line have no effect: a thread keeps the ones it started with.';
  const next = 'Use developer_instructions for this thread, or start a new one.';
  return [{ code: 'instructions-kept', message, next }];
}
