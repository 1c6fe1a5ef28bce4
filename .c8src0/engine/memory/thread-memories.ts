import { makeOwnFolder } from '../../adapters/disk/own-files.ts';
import { inFreeLock } from '../../adapters/disk/wait-for-lock.ts';
import { configInFolder } from '../../adapters/gather/config/config-in-folder.ts';
import { memoryFolder, memoryNotesFolder } from '../../adapters/gather/memory-files.ts';
import { credentialStore, loginSecrets } from '../../adapters/mcp/credential-store.ts';
import type { Config } from '../../core/config/config.ts';
import { defaultWindowShares } from '../../core/config/defaults.ts';
import { memoryRules } from '../../core/config/memories.ts';
import { type Catalogue, lookUpModel } from '../../core/envelope/model-record.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { configuredSecrets, isSecretVariable } from '../../core/policy/secrets.ts';
import { transcriptEntries } from '../../core/state/review-request.ts';
import type { BackgroundHost, BackgroundWork } from '../../ports/threads.ts';
import { thrownMessage } from '../../protocol/display-text.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { stringAt } from '../../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';
import { loadThreadState } from '../thread/branch/resume-thread.ts';
import { type MemoryQuestion, type MemoryWriterParts, writeMemories } from './memory-writer.ts';

/** Writes notes about earlier threads while this one is open. Loaded only where enabled. */
export interface ThreadMemories extends BackgroundWork {
  /** Runs once and does not block. */
  start(): void;
  /** Ends soon and keeps what is written by then. */
  release(): Promise<void>;
}

type MemoriesOfThread = { readonly config: Config; readonly settings: Settings; readonly catalogue: Catalogue };

const looked = 200;

export function openThreadMemories(engine: EngineParts, input: MemoriesOfThread): ThreadMemories {
  const stop = new AbortController();
  let host: BackgroundHost | undefined;
  let work: Promise<void> | undefined;
  return {
    attach: (given) => void (host = given),
    start() {
      if (host !== undefined && !stop.signal.aborted) work ??= run(engine, input, host, stop.signal);
    },
    async release() {
      stop.abort();
      await work;
    },
  };
}

/** One process at a time. Never rejects. */
async function run(engine: EngineParts, input: MemoriesOfThread, host: BackgroundHost, signal: AbortSignal) {
  try {
    await inFreeLock(engine.locks, `${memoryNotesFolder(engine.base.home)}/lock`, async () => {
      const secrets = await secretsOf(engine, input);
      const problem = await writeMemories(writerParts(engine, input, secrets, signal), host, signal);
      if (problem !== undefined) host.warn(unwritten(problem.message, problem.next));
    });
  } catch (error) {
    host.warn(unwritten(`${thrownMessage(error)}.`, 'Capstan tries again at a later start.'));
  }
}

const unwritten = (why: string, next: string): Outcome => ({
  code: 'memory-unwritten',
  message: `No notes were written about earlier threads: ${why}`,
  next,
});

function writerParts(
  engine: EngineParts,
  { config, settings, catalogue }: MemoriesOfThread,
  secrets: readonly string[],
  signal: AbortSignal,
): MemoryWriterParts {
  const { home } = engine.base;
  const rules = memoryRules(config.memories);
  const { memoryPercent: share } = { ...defaultWindowShares(settings.window), ...settings.window };
  return {
    home,
    rules,
    share,
    secrets,
    now: () => engine.clock.now(),
    async list() {
      const page = await engine.threadStore.directory.list({ limit: looked, sort: 'updated' });
      return 'threads' in page ? page.threads : [];
    },
    async read(id) {
      const mode = await modeOf(engine, id);
      if (mode === 'disabled' || (mode === 'polluted' && rules.skipsExternal)) return undefined;
      return transcriptEntries((await loadThreadState(engine.store, id)).state.history);
    },
    async ask({ purpose, ...question }: MemoryQuestion) {
      makeOwnFolder(memoryFolder(home), 'readable');
      const model = (purpose === 'extract' ? rules.extractModel : rules.consolidationModel) ?? settings.model;
      const effort = effortOf(catalogue, model, purpose === 'extract' ? 'low' : 'medium');
      const asked = { ...question, model, effort, settings, cwd: memoryFolder(home), signal };
      return engine.askModel({ ...asked, threadSource: 'memory_consolidation' });
    },
  };
}

/** Returns undefined for a model without efforts, and the model's middle one if it lacks the wanted one. */
function effortOf(catalogue: Catalogue, model: string, wanted: string): string | undefined {
  const { supportedEfforts } = lookUpModel(catalogue, model);
  if (supportedEfforts.includes(wanted)) return wanted;
  return supportedEfforts[Math.floor((supportedEfforts.length - 1) / 2)];
}

/** Reads all lines: the last mode counts, even one that a checkpoint left out. */
async function modeOf({ store }: EngineParts, id: ThreadId): Promise<MemoryMode> {
  let mode: MemoryMode = 'enabled';
  for await (const line of store.read(id, { from: 0 as Ordinal, wanted: concernsMemory }))
    mode = foldMemoryMode(mode, line);
  return mode;
}

/** Values that no model may read: secret variables, the configuration's secrets, and logins to servers. */
async function secretsOf(engine: EngineParts, { settings }: MemoriesOfThread): Promise<readonly string[]> {
  const { base, options } = engine;
  const { withheld = [] } = settings.shellEnvironment;
  const ofVariables = Object.entries(options.env).flatMap(([name, value]) =>
    value !== undefined && (isSecretVariable(name) || withheld.includes(name)) ? [value] : [],
  );
  const { config, layers } = await configInFolder(base, settings.cwd);
  const credentials = credentialStore(base.home, engine);
  const ofLogins = Object.values(config.mcpServers ?? {}).flatMap(({ url = '' }) =>
    loginSecrets(credentials.read(url)),
  );
  return [...ofVariables, ...layers.flatMap(({ values }) => configuredSecrets(values)), ...ofLogins];
}

/** Permission to write notes about a thread. `polluted`: it contains text from the web or from MCP servers. */
export type MemoryMode = 'enabled' | 'disabled' | 'polluted';

function concernsMemory({ type }: LineKind): boolean {
  const { sessionMeta, responseItem, event, call } = lineType;
  return type === sessionMeta || type === responseItem || type === event || type === call;
}

/** The newest mode that the thread itself states counts. Text from others only turns `enabled` into `polluted`. */
export function foldMemoryMode(mode: MemoryMode, line: Line): MemoryMode {
  if (line.type === lineType.sessionMeta) {
    const said = stringAt(line.payload, 'memory_mode');
    return said === 'enabled' || said === 'disabled' || said === 'polluted' ? said : mode;
  }
  return mode === 'enabled' && bringsOthersWords(line) ? 'polluted' : mode;
}

/** True for text from the web or from MCP servers, even in a turn taken back: the words may survive in later text. */
function bringsOthersWords({ type, payload }: Line): boolean {
  if (type === lineType.call) return payload['external'] === true;
  const kind = stringAt(payload, 'type') ?? '';
  if (type === lineType.event) return kind.startsWith('mcp_tool_call') || kind.startsWith('web_search');
  if (kind === 'web_search_call' || kind === 'mcp_call' || kind === 'mcp_tool_call') return true;
  // Other programs and earlier versions do not record which calls are external: only tool names show it.
  if (kind !== 'function_call' && kind !== 'custom_tool_call') return false;
  const [name, namespace] = [stringAt(payload, 'name') ?? '', stringAt(payload, 'namespace') ?? ''];
  return [name, namespace].some((each) => each.startsWith('mcp__')) || name === 'call_tool' || namespace === 'web';
}
