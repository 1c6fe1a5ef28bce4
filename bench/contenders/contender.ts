import type { JsonObject } from '../../src/protocol/json.ts';
import type { Exchange } from '../history/exchange.ts';
import type { PreparedThread } from '../history/rollout.ts';
import type { Command } from '../process/command.ts';
import type { Place } from '../process/place.ts';

export type ContenderId = 'capstan' | 'codex' | 'codex-lean' | 'pi' | 'floor-sandboxed' | 'floor';

/** The place and the settings that a turn starts from. */
export interface Setting {
  readonly place: Place;
  readonly modelUrl: string;
  /** Absent for a turn in a new thread. */
  readonly history?: { readonly thread: PreparedThread; readonly exchanges: readonly Exchange[] };
  /** The body of Capstan's first request: what the floor sends. */
  readonly firstBody: string;
}

/** A program that can run a turn against the scripted model. */
export interface Contender {
  readonly id: ContenderId;
  readonly name: string;
  /** The call by which the model asks for the command `true`. */
  readonly call: { readonly tool: string; readonly arguments: JsonObject };
  /** True if the answer to such a call says that the command ran and succeeded. */
  succeeded(output: string): boolean;
  /** Fills an empty place. */
  prepare(setting: Setting): Promise<void> | void;
  /** Runs one turn with the words "Go on." in the place. */
  turn(setting: Setting): Command;
}

export const words = 'Go on.';
export const providerName = 'scripted';
export const modelName = 'gpt-5.5';
