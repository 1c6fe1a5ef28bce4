import { defined } from '../protocol/defined.ts';
import type { ConfiguredProvider } from './key-table.ts';

/** How a model chooses its words. What is absent is left to the server. */
export interface Sampling {
  readonly temperature?: number;
  /** Texts at which an answer ends. */
  readonly stop?: readonly string[];
}

/** What is configured for a provider, and for single models of it. */
export interface ProviderSampling extends Sampling {
  readonly models?: Readonly<Record<string, Sampling>>;
}

/** Undefined: nothing is configured. */
export function configuredSampling(given: ConfiguredProvider): ProviderSampling | undefined {
  const { temperature, stop, models } = given;
  const sampling = defined({ temperature, stop, models });
  return Object.keys(sampling).length === 0 ? undefined : sampling;
}

/** What holds for one model: its own values over those of the provider. An empty list of texts is none. */
export function samplingFor(provider: ProviderSampling | undefined, model: string): Sampling | undefined {
  const own = Object.hasOwn(provider?.models ?? {}, model) ? provider?.models?.[model] : undefined;
  const { temperature, stop } = { ...provider, ...own };
  const sampling = defined({ temperature, stop: stop?.length === 0 ? undefined : stop });
  return Object.keys(sampling).length === 0 ? undefined : sampling;
}
