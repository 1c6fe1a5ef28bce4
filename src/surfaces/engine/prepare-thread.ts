import { atLocalAddress } from '../../config/local-providers.ts';
import { providerOf } from '../../config/providers.ts';
import type { Settings } from '../../envelope/settings.ts';
import type { BaseLayers } from '../../gather/config-layers.ts';
import { systemClock } from '../../gather/system-clock.ts';
import { systemIds } from '../../gather/system-ids.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Seals } from '../../ports/seals.ts';
import type { SnapshotContents } from '../../ports/snapshot-contents.ts';
import type { Tracer } from '../../ports/tracer.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { instructionsOf } from '../../state/instructions.ts';
import { lastSettings } from '../../state/resumed-settings.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { ThreadParts } from '../../thread/parts.ts';
import { nameClash, type OwnTool, ownToolsProblem } from '../../tools/own-tool.ts';
import { configureThread, type ThreadPlace } from './configure-thread.ts';
import type { EngineOptions } from './engine-options.ts';
import { createThreadParts } from './thread-parts.ts';

/** What every thread of an engine is opened with, wherever its folder is. */
export interface OpeningParts {
  readonly options: EngineOptions;
  readonly base: BaseLayers;
  readonly store: RolloutStore;
  readonly contents: SnapshotContents;
  readonly seals: Seals;
  readonly tracer: Tracer;
}

/** What belongs to a thread and is given by the program that opens it. */
export interface Given {
  /** Offered to the model beside the built-in ones. */
  readonly tools?: readonly OwnTool[];
}

export interface PreparedThread {
  readonly parts: ThreadParts;
  readonly settings: Settings;
  readonly notices: readonly Outcome[];
}

/** What a thread in a folder works with, and what is in force in it. */
export async function prepareThread(
  { options, base, store, contents, seals, tracer }: OpeningParts,
  { tools = [], ...place }: ThreadPlace & Given,
): Promise<PreparedThread | Outcome> {
  const configured = await configureThread(base, options, place);
  if ('code' in configured) return configured;
  const { config, catalogue, settings, notices } = configured;
  const { env, osHome, client, checkpointHooks, formats = [] } = options;
  const known = providerOf(config, settings.provider);
  const provider = 'code' in known ? known : atLocalAddress(known, env);
  if ('code' in provider) return provider;
  const odd = ownToolsProblem(tools);
  if (odd !== undefined) return odd;
  const parts = await createThreadParts({
    env,
    osHome,
    client,
    provider,
    config,
    catalogue,
    home: base.home,
    store,
    contents,
    seals,
    clock: systemClock,
    ids: systemIds(systemClock),
    settings,
    tracer,
    requirements: base.requirements,
    ephemeral: options.ephemeral === true,
    ...(checkpointHooks === undefined ? {} : { checkpointHooks }),
    tools,
    formats,
  });
  if ('code' in parts) return parts;
  return nameClash(parts.router.clashes) ?? { parts, settings, notices };
}

/**
 * The same for a thread that is resumed: under its last settings, and in its own folder unless another one is given.
 * What this home did not write counts only as far as the configuration goes, and an imported thread works where the
 * command was started.
 */
export async function prepareToGoOn(
  opening: OpeningParts,
  { id, state }: { readonly id: ThreadId; readonly state: ThreadState },
  { cwd, ...given }: Given & { readonly cwd: string | undefined },
): Promise<PreparedThread | Outcome> {
  const last = lastSettings(state);
  // A new thread has no past and does not load this.
  const { standingOf } = await import('./thread-standing.ts');
  const standing = await standingOf(opening, id, state);
  const own = standing === 'imported' ? undefined : last.cwd;
  const place = { cwd: cwd ?? own ?? opening.options.cwd, resumed: { id, last, standing }, ...given };
  const prepared = await prepareThread(opening, place);
  if ('code' in prepared) return prepared;
  const problem = opening.seals.problem();
  const notices = [
    ...(problem === undefined ? [] : [unusableKey(problem)]),
    ...prepared.notices,
    ...withoutEffect(state, prepared.settings),
  ];
  return { ...prepared, notices };
}

function unusableKey(problem: string): Outcome<'seal-key-unusable'> {
  return {
    code: 'seal-key-unusable',
    message: `Capstan cannot prove which threads of this home it wrote: ${problem}.`,
    next: 'Until that is mended, every thread counts as foreign. Remove the file to have a new key made.',
  };
}

/** A flag that asks for other base instructions than the thread has: they are the beginning of every request. */
function withoutEffect(state: ThreadState, { baseInstructions: wanted, origins = {} }: Settings): readonly Outcome[] {
  const kept = instructionsOf(state);
  if (origins['baseInstructions'] !== 'flags' || kept === undefined || kept.text === wanted) return [];
  return [
    {
      code: 'instructions-kept',
      message: 'The instructions given on the command line have no effect: a thread keeps those that it began with.',
      next: 'Use developer_instructions for this thread, or start a new one.',
    },
  ];
}
