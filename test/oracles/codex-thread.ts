import { appendFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import type { Place } from '../harness/run-capstan.ts';
import { AppServer } from './app-server.ts';

export type HistoryMode = 'legacy' | 'paginated';

/** A thread that Codex makes, in either of its history modes. Only its app-server lets one choose. */
export class CodexThread {
  readonly place: Place;
  readonly mode: HistoryMode;
  readonly id: string;
  #server: AppServer;
  /** Turns in which a user spoke, oldest first. */
  #turns: string[] = [];
  /** The first turn that the newest rollback took back. */
  takenBackTo: string | undefined;

  private constructor(place: Place, mode: HistoryMode, server: AppServer, id: string) {
    this.place = place;
    this.mode = mode;
    this.#server = server;
    this.id = id;
  }

  static async start(place: Place, mode: HistoryMode, config: JsonObject = {}): Promise<CodexThread> {
    const server = await AppServer.start(place);
    // As `codex exec` has it, so that its resume has nothing to tell.
    const settings = { cwd: place.workspace, approvalPolicy: 'never', sandbox: 'workspace-write' };
    const started = await server.call('thread/start', { ...settings, historyMode: mode, config });
    return new CodexThread(place, mode, server, String((started['thread'] as JsonObject)['id']));
  }

  async say(text: string): Promise<void> {
    const ended = this.#turnEnded();
    const started = await this.#server.call('turn/start', { threadId: this.id, input: [{ type: 'text', text }] });
    this.#turns.push(String((started['turn'] as JsonObject)['id']));
    await ended;
  }

  async compact(): Promise<void> {
    const ended = this.#turnEnded();
    await this.#server.call('thread/compact/start', { threadId: this.id });
    await ended;
  }

  /**
   * Takes back the newest turns in which a user spoke. A legacy thread gets the marker that earlier versions wrote: this
   * one reads it, and has no call any more that would write it.
   */
  async takeBack(count: number): Promise<void> {
    const [first] = this.#turns.splice(-count);
    this.takenBackTo = first;
    if (this.mode === 'paginated') {
      await this.#server.call('thread/revert', { threadId: this.id, beforeTurnId: first! });
      return;
    }
    await this.#server.close();
    const payload = { type: 'thread_rolled_back', num_turns: count };
    const line = { timestamp: '2026-11-15T00:00:00.000Z', type: 'event_msg', payload };
    appendFileSync(this.place.rollouts()[0]!, `${JSON.stringify(line)}\n`);
    this.#server = await AppServer.start(this.place);
    await this.#server.call('thread/resume', { threadId: this.id });
  }

  /** The turns as Codex lists them, oldest first. */
  async turnIds(): Promise<readonly unknown[]> {
    const listed = await this.#server.call('thread/turns/list', { threadId: this.id, sortDirection: 'asc' });
    return (listed['data'] as unknown as readonly JsonObject[]).map(({ id }) => id);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #turnEnded(): Promise<void> {
    const { turn } = await this.#server.told(
      (method, { threadId }) => method === 'turn/completed' && threadId === this.id,
    );
    if (!isJsonObject(turn) || turn['status'] !== 'completed') throw new Error(JSON.stringify(turn));
  }
}
