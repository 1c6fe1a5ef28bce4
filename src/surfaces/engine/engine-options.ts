import type { ClientFacts } from '../../envelope/facts.ts';
import type { ConfigChoices } from '../../gather/config/config-layers.ts';
import type { WireFormat } from '../../model/http/wire-format.ts';
import type { Seals } from '../../ports/seals.ts';
import type { ThreadStore } from '../../ports/thread-store.ts';
import type { Variables } from '../../protocol/variables.ts';

/**
 * What holds for all threads of an engine. The program that loads it gives it, and the engine looks at nothing else of
 * the process. What belongs to one thread is given when that is opened.
 */
export interface EngineOptions extends ConfigChoices {
  readonly env: Variables;
  readonly client: Omit<ClientFacts, 'threadSource'>;
  /** Where threads are kept. Default: the files of the home, which Codex uses as well. */
  readonly store?: ThreadStore;
  /**
   * What proves which lines of `store` its engines wrote: the same for all of them. The files of a home have the key of
   * that home, and seals without a store are refused.
   */
  readonly seals?: Seals;
  /** Wire formats beside the built-in ones: a provider whose `wire_api` has the name of one speaks it. */
  readonly formats?: readonly WireFormat[];
  /** Files of the program that embeds the engine, such as its access token. Commands can neither read nor change them. */
  readonly secretFiles?: readonly string[];
}
