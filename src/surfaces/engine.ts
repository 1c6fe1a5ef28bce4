import { type Config, readConfig } from '../config/config.ts';
import { parseOverride } from '../config/override.ts';
import { providerOf } from '../config/providers.ts';
import type { ClientFacts } from '../envelope/facts.ts';
import type { Settings } from '../envelope/settings.ts';
import { loadConfigLayer } from '../gather/config-file.ts';
import { flagsLayer } from '../gather/config-paths.ts';
import { findRepository, readGitFacts } from '../gather/git.ts';
import { findHome } from '../gather/home.ts';
import { loadBaseInstructions } from '../gather/model-instructions.ts';
import { settingsFrom } from '../gather/settings.ts';
import { systemClock } from '../gather/system-clock.ts';
import { systemIds } from '../gather/system-ids.ts';
import type { RolloutStore } from '../ports/rollout-store.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ApprovalPolicy, PermissionProfile } from '../protocol/permission-profile.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
import { createFlock } from '../rollout/flock.ts';
import { nodeFiles } from '../rollout/node-files.ts';
import { type ChosenThread, chooseThread, type NoThread, type ThreadChoice } from '../rollout/choose-thread.ts';
import { createEphemeralStore } from '../rollout/ephemeral-store.ts';
import { createRolloutStore } from '../rollout/store.ts';
import { lastSettings } from '../state/resumed-settings.ts';
import { openThread } from '../thread/resume.ts';
import { Thread } from '../thread/thread.ts';
import type { Environment } from './environment.ts';
import { createThreadParts } from './thread-parts.ts';

/** What the engine is given by whoever starts it. It looks at nothing else of the process. */
export interface EngineOptions {
  readonly env: Environment;
  /** The user's home folder. */
  readonly osHome: string;
  /** The process's own folder: relative paths in overrides start there. */
  readonly cwd: string;
  readonly client: ClientFacts;
  /** `key=value` texts over the configuration file, later ones over earlier ones. */
  readonly overrides: readonly string[];
  /** Holds whatever anybody configured: for surfaces that can ask nobody. */
  readonly approval?: ApprovalPolicy;
  /** Holds whatever anybody configured. */
  readonly profile?: PermissionProfile;
  /** Nothing of what threads do is kept on the disk. */
  readonly ephemeral?: boolean;
}

export interface ThreadRequest {
  /** Told in order, and only what is durable. Must not throw. */
  readonly listener: (event: ThreadEvent) => void;
  /** Absolute. A resumed thread keeps its own folder when none is given. */
  readonly cwd?: string;
}

/** A thread that is ready for turns, and what is in force in it. */
export interface OpenedThread {
  readonly kind: 'opened';
  readonly thread: Thread;
  readonly settings: Settings;
  /** What a person should know: repairs and lines that could not be read. */
  readonly notices: readonly Outcome[];
}

export interface EngineRefused {
  readonly kind: 'refused';
  readonly outcome: Outcome;
}

/** The composition root and the one facade: makes the parts, hands out threads. */
export class Engine {
  readonly kind = 'engine';
  /** Warnings about the configuration. */
  readonly notices: readonly Outcome[];
  readonly #options: EngineOptions;
  readonly #config: Config;
  readonly #home: string;
  readonly #store: RolloutStore;

  private constructor(options: EngineOptions, config: Config, home: string, notices: readonly Outcome[]) {
    this.#options = options;
    this.#config = config;
    this.#home = home;
    this.notices = notices;
    const store = createRolloutStore({
      home,
      files: nodeFiles,
      locks: createFlock({ clock: systemClock }),
      clock: systemClock,
    });
    this.#store = options.ephemeral === true ? createEphemeralStore(store, systemClock) : store;
  }

  /** Reads the configuration. The first error in it is the answer. */
  static async load(options: EngineOptions): Promise<Engine | EngineRefused> {
    const home = findHome(options.env, options.osHome);
    if ('code' in home) return refused(home);
    const user = await loadConfigLayer({ home: home.path, osHome: options.osHome });
    const overrides = options.overrides.map(parseOverride);
    const place = { base: options.cwd, osHome: options.osHome };
    const flags = flagsLayer(
      overrides.filter((override) => 'path' in override),
      place,
    );
    const { config, problems } = readConfig([user.layer, flags]);
    const all = [...user.problems, ...overrides.filter((override) => 'code' in override), ...problems];
    const error = all.find(({ severity }) => severity === 'error');
    return error === undefined ? new Engine(options, config, home.path, all) : refused(error);
  }

  /** Whether there is a model to talk to: somebody named one. */
  get hasModel(): boolean {
    return this.#config.model !== undefined;
  }

  /** The thread that somebody means. */
  choose(choice: ThreadChoice): Promise<ChosenThread | NoThread> {
    return chooseThread(nodeFiles, this.#home, choice);
  }

  async start({ listener, cwd }: ThreadRequest & { readonly cwd: string }): Promise<OpenedThread | EngineRefused> {
    const chosen = this.#settings({ cwd });
    if ('code' in chosen) return refused(chosen);
    const parts = this.#parts(chosen);
    if ('code' in parts) return refused(parts);
    const root = findRepository(cwd);
    const git = root === undefined ? undefined : (readGitFacts(root) as JsonObject);
    const thread = await Thread.start(parts, { settings: chosen, listener }, git);
    if (!(thread instanceof Thread)) return refused(thread);
    return { kind: 'opened', thread, settings: chosen, notices: [] };
  }

  /** Goes on with a thread under its last settings, unless flags say otherwise. */
  async resume(id: ThreadId, { listener, cwd }: ThreadRequest): Promise<OpenedThread | EngineRefused> {
    const resumed = await openThread(this.#store, id);
    if (resumed.kind === 'refused') return refused(resumed);
    const last = lastSettings(resumed.state);
    const chosen = this.#settings({ cwd: cwd ?? last.cwd ?? this.#options.cwd, resumed: last });
    const parts = 'code' in chosen ? chosen : this.#parts(chosen);
    if ('code' in chosen || 'code' in parts) {
      await resumed.owned.close();
      return refused('code' in chosen ? chosen : (parts as Outcome));
    }
    const thread = Thread.resume(parts, resumed, { settings: chosen, listener });
    return { kind: 'opened', thread, settings: chosen, notices: noticesOf(id, resumed) };
  }

  #settings(choices: { readonly cwd: string; readonly resumed?: Partial<Settings> }): Settings | Outcome {
    const base = loadBaseInstructions(this.#config);
    if ('code' in base) return base;
    const made = settingsFrom(this.#config, { ...choices, ...base });
    if ('code' in made) return made;
    const { approval, profile } = this.#options;
    return {
      ...made.settings,
      ...(approval === undefined ? {} : { approval }),
      ...(profile === undefined ? {} : { profile }),
    };
  }

  #parts(settings: Settings) {
    const provider = providerOf(this.#config, settings.provider);
    if ('code' in provider) return provider;
    const { env, osHome, client } = this.#options;
    return createThreadParts({
      env,
      osHome,
      client,
      provider,
      config: this.#config,
      home: this.#home,
      store: this.#store,
      clock: systemClock,
      ids: systemIds(systemClock),
      settings,
    });
  }
}

function refused(outcome: Outcome): EngineRefused {
  return { kind: 'refused', outcome };
}

function noticesOf(
  id: ThreadId,
  { owned, skipped }: { owned: { torn?: { bytes: number } }; skipped: number },
): readonly Outcome[] {
  const notices: Outcome[] = [];
  if (owned.torn !== undefined) {
    notices.push({
      code: 'torn-tail',
      message: `The last line of thread ${id} was torn and has been cut off (${owned.torn.bytes} bytes).`,
      next: 'Nothing that was shown is lost.',
    });
  }
  if (skipped > 0) {
    notices.push({
      code: 'lines-skipped',
      message: `${skipped} lines of thread ${id} could not be read and were passed over.`,
      next: 'The rest of the thread is as it was.',
    });
  }
  return notices;
}
