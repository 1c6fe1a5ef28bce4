import type { ThreadId } from '../../../protocol/ids.ts';
import { defined } from '../../../protocol/defined.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { ThreadSummary } from '../../../protocol/thread-summary.ts';
import { oneLine } from '../../../state/one-line.ts';
import { requestBody } from '../../context/show-request.ts';
import { tellStory } from '../../context/thread-story.ts';
import { envelopeJson } from '../../envelope/envelope-view.ts';
import { readAfter, standingIn } from '../../engine/live/place-cursor.ts';
import type { ServerResources } from '../offer/server-tool.ts';
import { readLines } from '../tools/read-lines.ts';
import { itemPage } from '../tools/thread-items.ts';
import type { ToolParts } from '../tools/tool-parts.ts';
import { contextOf, envelopeOf } from '../tools/view-tools.ts';
import type { LoadedThreads } from './loaded-threads.ts';
import { type FollowedPart, parseFollowedUri, threadUri } from './thread-uri.ts';

const mimeType = 'application/json';

const templates = [
  { path: '', name: 'thread', title: 'Thread', description: 'Turns and items, each with its message kind.' },
  { path: '/context', name: 'context', title: 'Context', description: 'What fills the window, by family.' },
  { path: '/envelope', name: 'envelope', title: 'Envelope', description: 'The contract of the newest turn.' },
  { path: '/requests/{n}', name: 'request', title: 'Request', description: 'The body of request N as it was sent.' },
].map(({ path, ...about }) => ({ uriTemplate: `${threadUri('{id}')}${path}`, ...about, mimeType }));

/** A resource that has more items than this is read in pages, with `thread_read`. */
const mostItems = 2000;
const mostCharacters = 20_000;
const pageSize = 50;
/** Of the completions that a client is given. */
const mostIds = 100;

/** Threads by URI: what they hold, and when that changes. */
export function threadResources(parts: ToolParts, loaded: LoadedThreads): ServerResources {
  return {
    templates,
    async list(cursor) {
      const page = await parts.engine.stored.list({ limit: pageSize, sort: 'updated', ...defined({ cursor }) });
      if ('code' in page) throw new RangeError(`${page.message} Leave the cursor out to begin again.`);
      return { resources: page.threads.map(listed), ...defined({ next: page.next }) };
    },
    async read(uri) {
      const followed = parseFollowedUri(uri);
      if (followed === undefined || !(await isKnown(parts, followed.part.id))) return undefined;
      const text = await textOf(parts, followed);
      return text === undefined ? undefined : [{ uri, mimeType, text }];
    },
    async canFollow(uri) {
      const followed = parseFollowedUri(uri);
      return followed !== undefined && isKnown(parts, followed.part.id);
    },
    watch(uri, changed, client) {
      const followed = parseFollowedUri(uri);
      if (followed === undefined) return () => {};
      const { part, after } = followed;
      // One who was there before wants to know what it missed now, and not when another call loads the thread.
      if (after !== undefined && client !== undefined) void loaded.live.load(part.id).catch(() => {});
      return loaded.watch(part.id, (thread) => {
        const stopReading = parts.feeds.read(thread, (news) => {
          if (news.kind !== 'preview' && news.kind !== 'missed') changed();
        });
        const listening = client && parts.listeners.add(thread, client, defined({ after }));
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

function listed({ id, name, preview, updatedAt }: ThreadSummary): JsonObject {
  return {
    uri: threadUri(id),
    name: id,
    title: oneLine(name ?? preview, 80) || id,
    mimeType,
    annotations: { lastModified: new Date(updatedAt).toISOString() },
  };
}

async function isKnown({ engine, live }: ToolParts, id: ThreadId): Promise<boolean> {
  return live.knows(id) || (await engine.stored.location(id)) !== undefined;
}

/** With a place, a thread is read behind it; its other parts are whole in any case. */
async function textOf(parts: ToolParts, { part, after = -1 }: FollowedPart): Promise<string | undefined> {
  const { id } = part;
  switch (part.kind) {
    case 'thread': {
      const { lines } = await readLines(parts.engine, id);
      const claimed = readAfter(after) ?? { place: -1 };
      const standing = standingIn(lines, id, claimed);
      const page = itemPage(lines, { isNewest: false, after: standing, limit: mostItems, most: mostCharacters });
      return JSON.stringify({ thread_id: id, ...page, ...(standing < claimed.place && { rewound: standing }) });
    }
    case 'context':
      return JSON.stringify({ thread_id: id, ...(await contextOf(parts, id)) });
    case 'envelope': {
      const view = await envelopeOf(parts, id, { turn: undefined, diff: undefined });
      return 'code' in view ? undefined : JSON.stringify(envelopeJson(id, view));
    }
    case 'request': {
      const story = tellStory((await readLines(parts.engine, id)).lines);
      const request = story.requests[part.number - 1];
      if (request === undefined) return undefined;
      const body = await requestBody(request);
      // As it was sent, byte for byte: a page in a terminal ends its line.
      return typeof body === 'string' ? body.replace(/\n$/, '') : JSON.stringify({ error: body });
    }
  }
}
