import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import type { Engine } from '../../src/index.ts';
import { liveThreads, type Thread, type ThreadEvent } from '../../src/index.ts';
import { createHomeStore } from '../../src/engine/store/home-store.ts';
import type { Ordinal, ThreadId } from '../../src/protocol/ids.ts';
import type { Line } from '../../src/protocol/line.ts';
import type { Answer } from '../../src/protocol/question.ts';
import { placeEngine } from '../harness/place-engine.ts';
import { HttpToolServers } from '../harness/http-tool-servers.ts';
import { Place } from '../harness/run-capstan.ts';
import { hook, trustAll } from '../hooks/hooked-scene.ts';
import { skillText } from '../skills/skilled-scene.ts';
import type { PlanesWorld } from './random-planes.ts';

const common = `features.memories = true
features.multi_agent = true
features.default_mode_request_user_input = true
features.token_budget = true
approval_policy = "on-request"
`;

interface KeptListing {
  readonly server: string;
  readonly tools: readonly { readonly tool: string }[];
}

/** The words of a hook when a session starts. */
export const hookWords = 'A hook spoke.';

/** The folders of a user who has skills, a plugin, hooks, servers, a memory and agents, and a thread of theirs. */
export class PlanesScene {
  readonly place: Place;
  readonly servers = new HttpToolServers();
  readonly events: ThreadEvent[] = [];
  /** The servers of the process that has the thread open, or had it last. */
  configured: readonly string[] = [];
  #world: PlanesWorld;
  #address = '';
  readonly #modelUrl: string;
  readonly #more: string;
  #engine: Engine | undefined;
  #thread: Thread | undefined;
  #id: ThreadId | undefined;
  #asked = 0;
  /** The content of the disk when the process was killed. */
  #survivor: string | undefined;

  constructor(modelUrl: string, world: PlanesWorld, more = '') {
    this.#modelUrl = modelUrl;
    this.#more = more;
    this.#world = world;
    this.place = new Place(modelUrl, '');
  }

  async start(): Promise<void> {
    this.#address = await this.servers.start();
    this.change({});
  }

  get world(): PlanesWorld {
    return this.#world;
  }

  get id(): ThreadId | undefined {
    return this.#id;
  }

  /** The engine is there while the thread is open. */
  get engine(): Engine {
    if (this.#engine === undefined) throw new Error('the thread is not open');
    return this.#engine;
  }

  get thread(): Thread | undefined {
    return this.#thread;
  }

  /** Files, servers and settings change at once; configuration counts for the next process. */
  change(news: Partial<PlanesWorld>): void {
    this.#world = { ...this.#world, ...news };
    const { skills, memory, instructions, a, b, mode, personality } = this.#world;
    const { home, workspace } = this.place;
    for (const name of ['knit', 'purl', 'dye']) {
      const file = join(home, 'skills', name, 'SKILL.md');
      put(file, skills.includes(name) ? skillText(name, `How to ${name}. </skills_instructions>`) : undefined);
    }
    put(join(home, 'memories/memory_summary.md'), memory);
    put(join(workspace, 'AGENTS.md'), instructions);
    this.servers.set('a', a);
    this.servers.set('b', b);
    // A lost process is seen by the turn.
    this.#thread?.overrideTurnContext({ collaboration: { mode }, personality }).catch(() => {});
  }

  /** Starts the thread, or goes on with it in another process. */
  async open(): Promise<Thread> {
    if (this.#thread !== undefined) return this.#thread;
    this.#configure();
    const { workspace } = this.place;
    const engine = await placeEngine(this.place);
    liveThreads(engine);
    const request = {
      listener: (event: ThreadEvent) => void this.events.push(event),
      askUser: { ask: (): Promise<Answer> => Promise.resolve(answers[this.#asked++ % answers.length]!) },
    };
    const isKept = this.#id !== undefined && this.place.rollouts().some((path) => path.includes(this.#id!));
    const opened = await (isKept ? engine.resume(this.#id!, request) : engine.start({ ...request, cwd: workspace }));
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    this.#engine = engine;
    this.#thread = opened.thread;
    this.#id = opened.thread.id;
    const { mode, personality } = this.#world;
    await opened.thread.overrideTurnContext({ collaboration: { mode }, personality });
    return opened.thread;
  }

  /** From here on the process writes in vain. */
  kill(): void {
    if (this.#survivor !== undefined) return;
    this.#survivor = `${this.place.home}-survivor`;
    // Node opens the folders of a copy to others, and Capstan does not write there then.
    execFileSync('cp', ['-a', this.place.home, this.#survivor]);
  }

  get isKilled(): boolean {
    return this.#survivor !== undefined;
  }

  /** Ends the process. After a kill the next one finds what the disk held then. */
  async close(): Promise<void> {
    await this.#thread?.close();
    await this.#engine?.close();
    this.#thread = undefined;
    this.#engine = undefined;
    if (this.#survivor === undefined) return;
    rmSync(this.place.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    renameSync(this.#survivor, this.place.home);
    this.#survivor = undefined;
    // Settings that no file configures stay as they are now.
    this.change({});
  }

  /** Resolves when Capstan remembers what the servers that are there list now. */
  async listed(): Promise<void> {
    const folder = join(this.place.home, 'capstan/mcp');
    const { servers, a, b } = this.#world;
    const there = Object.entries({ a, b }).filter(([name, { isUp }]) => isUp && servers.includes(name));
    const wanted = there.map(([server, { tools }]) => ({ server, tools: tools.toSorted() }));
    await vi.waitFor(
      () => {
        // One of a start that failed has no tools.
        const isListing = (name: string): boolean => /^[^.]+\.json$/.test(name);
        const files = wanted.length === 0 ? [] : readdirSync(folder).filter(isListing);
        const kept = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as KeptListing);
        const known = kept.map(({ server, tools }) => ({ server, tools: tools.map(({ tool }) => tool) }));
        const isKnown = (one: unknown): boolean => known.some((each) => JSON.stringify(each) === JSON.stringify(one));
        if (!wanted.every(isKnown)) throw new Error(`not listed yet: ${JSON.stringify({ wanted, known })}`);
      },
      { timeout: 20_000, interval: 5 },
    );
  }

  /** The lines of a thread and of all that it continues. */
  async lines(id: ThreadId): Promise<readonly Line[]> {
    const { store } = createHomeStore(this.place.home, { maxBlobBytes: 0, env: {}, osHome: this.place.root });
    const lines: Line[] = [];
    for await (const line of store.read(id, { from: 0 as Ordinal })) lines.push(line);
    return lines;
  }

  /** Ids of all threads that are kept. */
  threads(): readonly ThreadId[] {
    return this.place.rollouts().map((path) => path.slice(-42, -6) as ThreadId);
  }

  async end(): Promise<void> {
    await this.close().catch(() => {});
    await this.servers.close();
    this.place.remove();
  }

  #configure(): void {
    const { servers, hooks, plugin } = this.#world;
    this.configured = servers;
    const { home } = this.place;
    const tables = servers.map((name) => `[mcp_servers.${name}]\nurl = "${this.#address}${name}"\n`);
    const config = `model = "gpt-5.5"
model_provider = "scripted"
sandbox_mode = "workspace-write"
${common}${this.#more}
[model_providers.scripted]
name = "scripted"
base_url = "${this.#modelUrl}"
wire_api = "responses"
supports_websockets = false
${plugin ? '[plugins."wool@mkt"]\n' : ''}${tables.join('')}`;
    writeFileSync(join(home, 'config.toml'), config);
    const wool = join(home, 'plugins/cache/mkt/wool/local');
    put(join(wool, 'plugin.json'), '{"name": "wool"}');
    put(join(wool, 'skills/felt/SKILL.md'), skillText('felt', 'How to felt.'));
    const table = {
      SessionStart: [hook(`echo '${hookWords}'`)],
      PostToolUse: [hook(`echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Noted."}}'`)],
    };
    put(join(home, 'hooks.json'), hooks ? JSON.stringify({ hooks: table }) : undefined);
    if (hooks) trustAll(home);
  }
}

const answers: readonly Answer[] = [{ kind: 'allowed' }, { kind: 'declined' }, { kind: 'allowed', content: {} }];

function put(path: string, text: string | undefined): void {
  if (text === undefined) return rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
