import { McpConnection } from './connection.ts';
import type { McpWorld, PlacedServer } from './mcp-world.ts';

/** Servers that threads of one engine share: equal configuration in the same folder is one server. */
export class ServerPool {
  readonly #world: McpWorld;
  readonly #shared = new Map<string, { readonly connection: McpConnection; users: number }>();

  constructor(world: McpWorld) {
    this.#world = world;
  }

  /** Nothing is started yet. To be released as often as it is taken. */
  take(server: PlacedServer): McpConnection {
    const key = keyOf(server);
    const shared = this.#shared.get(key) ?? { connection: new McpConnection(server, this.#world), users: 0 };
    shared.users += 1;
    this.#shared.set(key, shared);
    return shared.connection;
  }

  /** Ends it when no thread uses it any more. Never rejects. */
  async release(connection: McpConnection): Promise<void> {
    const key = keyOf(connection.server);
    const shared = this.#shared.get(key);
    if (shared?.connection !== connection) return;
    shared.users -= 1;
    if (shared.users > 0) return;
    this.#shared.delete(key);
    await connection.close();
  }
}

function keyOf({ config, cwd }: PlacedServer): string {
  return JSON.stringify([config, cwd]);
}
