import type { ClientFacts } from '../../envelope/facts.ts';
import type { ConfigChoices } from '../../gather/config-layers.ts';
import type { Environment } from '../environment.ts';

/**
 * What holds for all threads of an engine. The program that loads it gives it, and the engine looks at nothing else of
 * the process. What belongs to one thread is given when that is opened.
 */
export interface EngineOptions extends ConfigChoices {
  readonly env: Environment;
  readonly client: Omit<ClientFacts, 'threadSource'>;
}
