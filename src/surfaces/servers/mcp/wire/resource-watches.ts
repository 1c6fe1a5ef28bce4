import { arrayAt, type JsonObject, objectAt } from '../../../../protocol/json.ts';
import type { ClientPort, ServerResources } from '../server-interface.ts';

/** Changes within this time share one notice. */
const settlingMs = 50;
type Watched = { followers: number; timer?: NodeJS.Timeout; stop: () => void };

/** The resources that clients follow: each is watched once, however many follow it. */
export class ResourceWatches {
  readonly #resources: ServerResources;
  readonly #changed: (uri: string) => void;
  readonly #client: ClientPort | undefined;
  readonly #watched = new Map<string, Watched>();

  constructor(resources: ServerResources, changed: (uri: string) => void, client?: ClientPort) {
    this.#resources = resources;
    this.#changed = changed;
    this.#client = client;
  }

  /** Returns the function that ends it. */
  follow(uri: string): () => void {
    const watched = this.#watched.get(uri) ?? this.#watch(uri);
    watched.followers += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      watched.followers -= 1;
      if (watched.followers === 0) this.#stop(uri);
    };
  }

  close(): void {
    for (const uri of this.#watched.keys()) this.#stop(uri);
  }

  #watch(uri: string): Watched {
    const watched: Watched = { followers: 0, stop: () => {} };
    this.#watched.set(uri, watched);
    const changed = (): void => {
      watched.timer ??= setTimeout(() => {
        delete watched.timer;
        this.#changed(uri);
      }, settlingMs).unref();
    };
    watched.stop = this.#resources.watch(uri, changed, this.#client);
    return watched;
  }

  #stop(uri: string): void {
    const watched = this.#watched.get(uri);
    this.#watched.delete(uri);
    clearTimeout(watched?.timer);
    watched?.stop();
  }
}

/** Names a resource that cannot be followed: a missing one would never send a notice. Undefined if all of them can. */
export async function unknownResourceError(
  resources: ServerResources | undefined,
  uris: readonly string[],
): Promise<{ readonly uri: string; readonly message: string } | undefined> {
  for (const uri of uris) {
    if (resources !== undefined && (await resources.canFollow(uri))) continue;
    const shown = JSON.stringify(uri.slice(0, longestShown));
    return { uri, message: `There is no resource ${shown} to follow. Nothing was subscribed to.` };
  }
  return undefined;
}

const longestShown = 200;

/** The resources that a client names in the parameters of `subscriptions/listen`, or the SDK in its answer. */
export const listenedIn = (params: JsonObject | undefined): readonly string[] =>
  (arrayAt(objectAt(params, 'notifications'), 'resourceSubscriptions') ?? []).filter((uri) => typeof uri === 'string');
