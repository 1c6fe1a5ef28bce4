import { toOneLine } from '../../../core/state/turns/turn-words.ts';
import type { EngineRefused } from '../../../engine/engine-refused.ts';
import { type AfterPlace, lastValidPlaceIn, parseAfterPlace } from '../../../engine/live/line-cursor.ts';
import type { LiveThread, LiveThreads } from '../../../engine/live/live-thread-types.ts';
import type { ThreadRequest } from '../../../engine/thread-request.ts';
import { parseThreadId, type ThreadId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { ThreadSummary } from '../../../protocol/thread.ts';
import { requestBody } from '../../views/context/request-page.ts';
import { readThreadStory } from '../../views/context/thread-story.ts';
import { envelopeJson } from '../../views/threads/envelope-page.ts';
import type { ServerResources } from './server-interface.ts';
import { readThreadLines } from './tools/find-thread.ts';
import { itemPage } from './tools/read-tools.ts';
import type { ToolServices } from './tools/tool-definition.ts';
import { threadContextView, threadEnvelopeView } from './tools/view-tools.ts';

const prefix = 'capstan://threads/';
const mimeType = 'application/json';

const templates = [
  { path: '', name: 'thread', title: 'Thread', description: 'Turns and items, each with its message kind.' },
  { path: '/context', name: 'context', title: 'Context', description: 'What fills the window, by family.' },
  { path: '/envelope', name: 'envelope', title: 'Envelope', description: 'The contract of the newest turn.' },
  { path: '/requests/{n}', name: 'request', title: 'Request', description: 'The body of request N as it was sent.' },
].map(({ path, ...about }) => ({ uriTemplate: `${threadUri('{id}')}${path}`, ...about, mimeType }));

/** A larger resource is read in pages, with `thread_read`. */
const mostItems = 2000;
const mostCharacters = 20_000;
const pageSize = 50;
const mostIds = 100;

export function threadResources(parts: ToolServices, loaded: LoadedThreads): ServerResources {
  return {
    templates,
    async list(cursor) {
      const page = await parts.engine.stored.list({ limit: pageSize, sort: 'updated', cursor });
      if ('code' in page) throw new RangeError(`${page.message} Leave the cursor out to begin again.`);
      return { resources: page.threads.map(listed), next: page.next };
    },
    async read(uri) {
      const followed = parseFollowedUri(uri);
      if (followed === undefined || !(await isKnown(parts, followed.id))) return undefined;
      const text = await textOf(parts, followed);
      return text === undefined ? undefined : [{ uri, mimeType, text }];
    },
    async canFollow(uri) {
      const followed = parseFollowedUri(uri);
      return followed !== undefined && isKnown(parts, followed.id);
    },
    watch(uri, changed, client) {
      const followed = parseFollowedUri(uri);
      if (followed === undefined) return () => {};
      const { id, after } = followed;
      // A returning client wants the events that it missed now, and not only when another call loads the thread.
      if (after !== undefined && client !== undefined) void loaded.live.load(id).catch(() => {});
      return loaded.watch(id, (thread) => {
        const stopReading = parts.feeds.read(thread, (news) => {
          if (news.kind !== 'preview' && news.kind !== 'missed') changed();
        });
        const listening = client && parts.listeners.add(thread, client, { after });
        return () => {
          stopReading();
          listening?.end();
        };
      });
    },
    async complete(template, argument, value) {
      if (argument !== 'id' || !templates.some(({ uriTemplate }) => uriTemplate === template)) return [];
      const page = await parts.engine.stored.list({ limit: mostIds, sort: 'updated' });
      const stored = 'code' in page ? [] : page.threads.map(({ id }) => id);
      const all = [...new Set([...parts.live.loaded.map(({ id }) => id), ...stored])];
      return all.filter((id) => id.startsWith(value.toLowerCase())).slice(0, mostIds);
    },
  };
}

const listed = ({ id, name, preview, updatedAt }: ThreadSummary): JsonObject => ({
  uri: threadUri(id),
  name: id,
  title: toOneLine(name ?? preview, 80) || id,
  mimeType,
  annotations: { lastModified: new Date(updatedAt).toISOString() },
});

const isKnown = async ({ engine, live }: ToolServices, id: ThreadId): Promise<boolean> =>
  live.knows(id) || (await engine.stored.location(id)) !== undefined;

/** With a place, items are read from there on; other parts are always whole. */
async function textOf(parts: ToolServices, part: FollowedPart): Promise<string | undefined> {
  const { id, after = -1 } = part;
  switch (part.kind) {
    case 'thread': {
      const { lines } = await readThreadLines(parts.engine, id);
      const claimed = parseAfterPlace(after) ?? { place: -1 };
      const standing = lastValidPlaceIn(lines, id, claimed);
      const page = itemPage(lines, { isNewest: false, after: standing, limit: mostItems, most: mostCharacters });
      return JSON.stringify({ thread_id: id, ...page, ...(standing < claimed.place && { rewound: standing }) });
    }
    case 'context':
      return JSON.stringify({ thread_id: id, ...(await threadContextView(parts, id)) });
    case 'envelope': {
      const view = await threadEnvelopeView(parts, id, { turn: undefined, diff: undefined });
      return 'code' in view ? undefined : JSON.stringify(envelopeJson(id, view));
    }
    case 'request': {
      const story = readThreadStory((await readThreadLines(parts.engine, id)).lines);
      const request = story.requests[part.number - 1];
      if (request === undefined) return undefined;
      const body = await requestBody(request);
      // The body as it was sent, byte for byte, without the line end of a terminal page.
      return typeof body === 'string' ? body.replace(/\n$/, '') : JSON.stringify({ error: body });
    }
  }
}

type Begin = (thread: LiveThread) => () => void;

/** Reports which threads are loaded: a client may watch one before any call uses it. */
export class LoadedThreads {
  readonly live: LiveThreads;
  readonly #watches = new Map<ThreadId, Set<(thread: LiveThread) => void>>();

  /** `askUser`: answers questions unless a request names another; absent: clients answer. */
  constructor(live: LiveThreads, { askUser }: Pick<ThreadRequest, 'askUser'> = {}) {
    const loads = async (loading: Promise<LiveThread | EngineRefused>): Promise<LiveThread | EngineRefused> => {
      const thread = await loading;
      if (thread.kind === 'live') for (const watch of this.#watches.get(thread.id) ?? []) watch(thread);
      return thread;
    };
    const answered = askUser === undefined ? {} : { askUser };
    this.live = {
      get loaded() {
        return live.loaded;
      },
      agentsOf: (id) => live.agentsOf(id),
      knows: (id) => live.knows(id),
      start: (request) => loads(live.start({ ...answered, ...request })),
      load: (id, request) => loads(live.load(id, { ...answered, ...request })),
      fork: (id, cut, request) => loads(live.fork(id, cut, { ...answered, ...request })),
      whole: (id, work) => live.whole(id, work),
      preview: (id, state) => live.preview(id, state),
      close: () => live.close(),
    };
  }

  /** Calls `begin` once, as soon as the thread is loaded, and the function that it returns when the watch ends. */
  watch(id: ThreadId, begin: Begin): () => void {
    let end: (() => void) | undefined;
    let isOver = false;
    const watch = (thread: LiveThread): void => {
      if (!isOver) end ??= begin(thread);
    };
    const all = this.#watches.get(id) ?? new Set();
    this.#watches.set(id, all.add(watch));
    const loaded = this.live.loaded.find((each) => each.id === id);
    if (loaded !== undefined) watch(loaded);
    return () => {
      all.delete(watch);
      if (all.size === 0 && this.#watches.get(id) === all) this.#watches.delete(id);
      isOver = true;
      end?.();
    };
  }
}

type NamedPartOfThread =
  | { readonly kind: 'thread' | 'context' | 'envelope'; readonly id: ThreadId }
  | { readonly kind: 'request'; readonly id: ThreadId; readonly number: number };

function threadUri(id: string): string {
  return `${prefix}${id}`;
}

function parseThreadUri(uri: string): NamedPartOfThread | undefined {
  if (!uri.startsWith(prefix)) return undefined;
  const [name = '', part, number, ...more] = uri.slice(prefix.length).split('/');
  const id = parseThreadId(name);
  if (id === undefined || more.length > 0) return undefined;
  if (part === undefined) return { kind: 'thread', id };
  if (part === 'requests' && number !== undefined && /^[1-9]\d{0,8}$/.test(number))
    return { kind: 'request', id, number: Number(number) };
  if (number !== undefined || (part !== 'context' && part !== 'envelope')) return undefined;
  return { kind: part, id };
}

/** `after`: the place after which a client that returns wants events. */
type FollowedPart = NamedPartOfThread & { readonly after?: AfterPlace };

/** Undefined if it is no URI of this server, or its place is invalid. */
function parseFollowedUri(uri: string): FollowedPart | undefined {
  const [path = '', query, ...more] = uri.split('?');
  const part = parseThreadUri(path);
  if (part === undefined || more.length > 0) return undefined;
  if (query === undefined) return part;
  const given = new URLSearchParams(query).get('after') ?? '';
  const place = given === '-1' ? -1 : parseAfterPlace(given)?.place;
  return place === undefined ? undefined : { ...part, after: (given.includes('@') ? given : place) as AfterPlace };
}
