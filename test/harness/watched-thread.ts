import { createDigester } from '../../src/adapters/model/request-digester.ts';
import type { Envelope } from '../../src/core/envelope/envelope.ts';
import type { StepFacts } from '../../src/core/envelope/facts.ts';
import { defaultAnswerLimits, defaultCompactionLimits } from '../../src/core/config/defaults.ts';
import { providerDefaults } from '../../src/core/config/providers/provider-config.ts';
import type { Credentials } from '../../src/adapters/model/http/credentials-and-headers.ts';
import { noRequirements } from '../../src/core/policy/requirements.ts';
import type { Owned, RolloutStore } from '../../src/ports/thread-store.ts';
import { defined } from '../../src/base/objects.ts';
import type { Ordinal, ThreadId } from '../../src/protocol/ids.ts';
import { parseJsonObject, stringAt } from '../../src/protocol/json.ts';
import type { Line, LineDraft } from '../../src/protocol/line.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { leaseFacts, withSeals } from '../../src/adapters/rollout/store/store-with-seals-and-blobs.ts';
import { createRolloutStore } from '../../src/adapters/rollout/store/rollout-store.ts';
import { describeState } from './describe-state.ts';
import type { Settings } from '../../src/core/envelope/settings.ts';
import { instructionsOf, emptyThreadState, type ThreadState } from '../../src/core/state/thread-state.ts';
import { withoutModelDefaults, lastSettings } from '../../src/core/state/resumed-settings.ts';
import type { CommandSessions } from '../../src/ports/commands.ts';
import type { JournalDisk, Locks } from '../../src/ports/files.ts';
import type { IdSource } from '../../src/ports/system.ts';
import { silentTracer } from '../../src/engine/engine.ts';
import type { ThreadParts } from '../../src/engine/thread/thread-parts.ts';
import { skillsNow } from '../../src/engine/thread/context/current-step.ts';
import { loadThreadState } from '../../src/engine/thread/branch/resume-thread.ts';
import { Thread } from '../../src/engine/thread/thread.ts';
import { openProvenThread } from '../../src/engine/thread/branch/unproven-lines.ts';
import { nodeDisk } from '../../src/adapters/disk/node-patch-disk.ts';
import { execCommandTool } from '../../src/adapters/tools/exec-command.ts';
import { createToolRouter, type ToolRouter } from '../../src/adapters/tools/router.ts';
import { updatePlanTool } from '../../src/adapters/tools/question-and-plan-tools.ts';
import { viewImageTool } from '../../src/adapters/tools/view-image.ts';
import { countingIds, noThreads, steppingClock } from './fixed-parts.ts';
import type { WireFormat } from '../../src/adapters/model/http/http-client.ts';
import { responsesFormat } from '../../src/adapters/model/responses/client.ts';
import { providerIn } from './provider-in.ts';
import { memorySeals } from './memory-seals.ts';
import { worldSkills } from './world-skills.ts';
import { configuredIn, factsOf, firstWorld, settingsOf, stepFactsOf, type World } from './world.ts';

/** The end of each command that a hook changed. */
export const byHook = ' # by a hook';

/** The disk that holds the rollout. */
export interface Disk {
  readonly home: string;
  readonly files: JournalDisk;
  readonly locks: Locks;
}

/** A state that the live thread had when everything up to `lines` became durable. */
export interface Acknowledged {
  readonly lines: number;
  readonly state: string;
}

/** The envelope and the facts that a step goes by. */
export interface EnteredStep {
  readonly envelope: Envelope;
  readonly facts: StepFacts;
  /** The list that fits the window as it is when this is asked. */
  skills(): StepFacts['skills'];
}

/** The settings of a thread that is opened again: as the world has them, or as the thread had them. */
export type OpenedWith = 'world' | 'thread';

/**
 * A thread with a real journal and a real model client, and commands that only pretend. It keeps what the live process
 * acknowledged, so that a refold can be held against it.
 */
export class WatchedThread {
  world: World = firstWorld;
  /** The format that its provider speaks. */
  format: WireFormat = responsesFormat;
  /** True if requests go over a WebSocket. */
  isSocket = false;
  /** Over what the world gives. */
  settings: Partial<Settings> = {};
  readonly acknowledged: Acknowledged[] = [];
  /** Told when something was acknowledged. */
  onAcknowledged: (acknowledged: Acknowledged) => void = () => {};
  readonly events: ThreadEvent[] = [];
  /** Called with each event, while the thread waits. */
  onEvent: (event: ThreadEvent) => void = () => {};
  /** Called when the thread is opened, with the lines that it has by then. */
  onOpen: (thread: Thread, lines: readonly Line[]) => void = () => {};
  /** Called when a step has looked at what may have moved. */
  onStep: (step: EnteredStep) => void = () => {};
  /** Commands that ran before the call that asks for them was durable. */
  readonly early: string[] = [];
  /** Called when a command starts: the moment at which a process dies in the worst way. */
  onCommand: () => void = () => {};
  credentials: Credentials = { kind: 'none' };
  /** The output of a command. */
  outputOf: (script: string) => string = (script) => `ran ${script}`;
  /** Puts other parts in the place of some. */
  adapt: (parts: ThreadParts) => ThreadParts = (parts) => parts;
  readonly #clock = steppingClock();
  readonly #skills = worldSkills(() => this.world.skills);
  /** Ids begin here: processes that share a thread must not make the same ones. */
  idStart = 0;
  #ids: IdSource | undefined;
  readonly #url: string;
  #disk: Disk;
  #thread: Thread | undefined;
  #id: ThreadId | undefined;
  #lines = 0;
  /** Scripts of calls by the number of their line, until they are acknowledged and run. */
  #asked: { readonly line: number; readonly script: string }[] = [];

  constructor(url: string, disk: Disk, id?: ThreadId) {
    this.#url = url;
    this.#disk = disk;
    this.#id = id;
  }

  get id(): ThreadId | undefined {
    return this.#id;
  }

  /** The thread, if this process has it open. */
  get live(): Thread | undefined {
    return this.#thread;
  }

  /** The process is gone; the next one finds this disk. */
  replaceDisk(disk: Disk): void {
    this.#disk = disk;
    this.#thread = undefined;
  }

  /** Begins the thread, or folds it from the disk if there is anything of it. */
  async open(openedWith: OpenedWith = 'world'): Promise<Thread> {
    if (this.#thread !== undefined) return this.#thread;
    const parts = this.adapt(this.#parts());
    const listener = (event: ThreadEvent): void => {
      this.events.push(event);
      this.onEvent(event);
    };
    const settings = { ...settingsOf(this.world), ...this.settings };
    const options = { settings, listener };
    const resumed = this.#id === undefined ? undefined : await openProvenThread(parts, this.#id);
    if (resumed?.kind === 'resumed') {
      const lines = await this.lines();
      this.#lines = lines.length;
      const own = openedWith === 'world' ? settings : remembered(this.world, resumed.state);
      const thread = await Thread.resume(parts, resumed, { ...options, settings: own });
      this.#thread = thread;
      this.onOpen(thread, lines);
      return thread;
    }
    // Nothing of an earlier thread had been acknowledged, so none of it needs to be there.
    this.#lines = 0;
    const started = await Thread.start(parts, options, () => undefined);
    if (!(started instanceof Thread)) throw new Error(started.message);
    this.#id = started.id;
    this.#thread = started;
    this.onOpen(started, []);
    return started;
  }

  async close(): Promise<void> {
    await this.#thread?.close();
    this.#thread = undefined;
  }

  /** Writes lines between two turns, as a rewrite of history does. The thread is closed by then. */
  async write(drafts: readonly LineDraft[]): Promise<void> {
    await this.close();
    // A thread whose first turn was refused has no file.
    if ((await this.lines()).length === 0) return;
    const owned = await this.#parts().store.open(this.#id!);
    if (owned.kind === 'refused') throw new Error(owned.message);
    owned.append(drafts);
    await owned.close();
  }

  async lines(): Promise<readonly Line[]> {
    if (this.#id === undefined) return [];
    const lines: Line[] = [];
    try {
      for await (const line of this.#parts().store.read(this.#id, { from: 0 as Ordinal })) lines.push(line);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'thread-unknown') throw error;
    }
    return lines;
  }

  /** The state up to a line, folded from the newest checkpoint before it. */
  async located(to: Ordinal): Promise<ThreadState> {
    return (await loadThreadState(this.#parts().store, this.#id!, to)).state;
  }

  get store(): ThreadParts['store'] {
    return this.#parts().store;
  }

  #parts(): ThreadParts {
    const clock = this.#clock;
    const store = createRolloutStore({ ...this.#disk, clock });
    return {
      clock,
      ids: (this.#ids ??= countingIds(this.idStart)),
      store: this.#watched(withSeals(store, memorySeals())),
      seals: memorySeals(),
      digester: createDigester(),
      provider: providerIn(this.format, {
        provider: {
          id: 'scripted',
          name: 'scripted',
          baseUrl: this.#url,
          ...providerDefaults,
          streamIdleTimeoutMs: 2000,
          supportsWebsockets: this.isSocket,
        },
        credentials: () => Promise.resolve(this.credentials),
        environment: {},
        clock,
        random: () => 0.5,
      }),
      random: () => 0.5,
      streamMaxRetries: 2,
      answerMaxItems: defaultAnswerLimits.maxItems,
      router: this.#router(),
      skills: this.#skills,
      threads: noThreads,
      processes: { end: () => Promise.resolve('gone') },
      requirements: noRequirements,
      compactionLimits: defaultCompactionLimits,
      tracer: silentTracer,
      folderProblem: () => undefined,
      gatherFacts: ({ cwd }) => Promise.resolve(factsOf(this.world, cwd, clock.now())),
      gatherStep: (envelope) => {
        const facts = stepFactsOf(this.world, envelope.workspace.cwd);
        const state = this.#thread?.state ?? emptyThreadState;
        const base = instructionsOf(state) ?? envelope.instructions.base;
        const skills = (): StepFacts['skills'] => {
          const log = { state: this.#thread?.state ?? emptyThreadState };
          return skillsNow({ parts: { router: this.#router(), skills: this.#skills }, log, envelope }).skills;
        };
        this.onStep({ envelope, skills, facts: { ...facts, pins: state.pins, base, ...this.#announced() } });
        return Promise.resolve(facts);
      },
    };
  }

  /** Tools come and go with the world. */
  #router(): ToolRouter {
    const all = [
      execCommandTool(this.#pretendedCommands()),
      updatePlanTool(),
      viewImageTool({ loadImage: () => Promise.resolve({ code: 'none', message: 'No.', next: '' }) }),
    ];
    const isThere = (name: string): boolean => name === 'exec_command' || this.world.tools.includes(name);
    const source = () => all.filter(({ name }) => isThere(name));
    return createToolRouter([Object.assign(source, { announced: () => this.#announced() })]);
  }

  #announced(): Pick<StepFacts, 'deferredTools' | 'mcpServers'> {
    const { deferred: deferredTools, servers: mcpServers } = this.world;
    return { deferredTools, ...defined({ mcpServers }) };
  }

  #watched(store: RolloutStore): RolloutStore {
    const disk = this.#disk;
    // Actions of a process after its end belong to no thread any more.
    const isGone = (): boolean => disk !== this.#disk;
    const watch = (owned: Owned): Owned => ({
      ...leaseFacts(owned),
      append: (drafts) => {
        const lines = owned.append(drafts);
        if (isGone()) return lines;
        for (const [i, line] of lines.entries()) this.#noteCall(this.#lines + i + 1, line);
        this.#lines += lines.length;
        return lines;
      },
      durable: async () => {
        const promised = {
          lines: this.#lines,
          state: this.#thread === undefined ? '' : describeState(this.#thread.state),
        };
        await owned.durable();
        if (isGone()) return;
        this.acknowledged.push(promised);
        this.onAcknowledged(promised);
      },
      close: () => owned.close(),
    });
    const watchIfOwned = <Other>(opened: Owned | Other): Owned | Other =>
      (opened as Owned).kind === 'owned' ? watch(opened as Owned) : opened;
    return {
      ...store,
      create: async (id, meta) => watchIfOwned(await store.create(id, meta)),
      open: async (id) => watchIfOwned(await store.open(id)),
      read: (id, options) => store.read(id, options),
      readBack: (id, wanted) => store.readBack(id, wanted),
    };
  }

  #noteCall(line: number, { payload }: Line): void {
    if (payload['type'] !== 'function_call' || payload['name'] !== 'exec_command') return;
    const script = stringAt(parseJsonObject(String(payload['arguments'])), 'cmd');
    if (script !== undefined) this.#asked.push({ line, script });
  }

  #noteRun(script: string): void {
    const at = this.#asked.findIndex((asked) => asked.script === script);
    const [asked] = at < 0 ? [] : this.#asked.splice(at, 1);
    if (asked === undefined || asked.line > (this.acknowledged.at(-1)?.lines ?? 0)) this.early.push(script);
  }

  #pretendedCommands() {
    return {
      sandbox: {
        plan: (command: object) =>
          Promise.resolve({ kind: 'runnable', files: [], cleanup: () => Promise.resolve(), ...command } as never),
      },
      shellEnvironment: { variables: () => Promise.resolve({}) },
      patches: { disk: nodeDisk(), clock: this.#clock },
      patchProgram: { folder: '/nowhere', node: '/nowhere/node' },
      sessions: {
        run: (...[command, , { started, output }]: Parameters<CommandSessions['run']>) => {
          this.#noteRun((command.argv.at(-1) ?? '').replace(new RegExp(`${byHook}$`), ''));
          started?.({ pid: 4321, startedAt: 'then', mark: 'mark' });
          this.onCommand();
          const text = this.outputOf(command.argv.at(-1) ?? '');
          output?.(Buffer.from(text));
          return Promise.resolve({
            kind: 'exited',
            exitCode: 0,
            durationMs: 5,
            output: { text, totalBytes: Buffer.byteLength(text) },
          } as const);
        },
      },
    };
  }
}

/** The remembered settings of the thread over the configured ones, as the engine combines them. */
function remembered(world: World, state: ThreadState): Settings {
  const { personality: configured, ...others } = configuredIn(world);
  const { personality = configured, ...last } = withoutModelDefaults(
    lastSettings(state),
    factsOf(world, world.cwd, 0).catalogue,
  );
  return { ...others, ...last, ...(personality === undefined || personality === null ? {} : { personality }) };
}
