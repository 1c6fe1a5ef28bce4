import type { ModelClient } from './model-client.ts';
import type { Encoder } from './prompt.ts';

/** What serves models to a thread: how requests are written for it, how they are sent, and what it can do. */
export interface Provider {
  /** Its wire format, as `wire_api` names it. */
  readonly wire: string;
  readonly encoder: Encoder;
  readonly client: ModelClient;
  readonly capabilities: ProviderCapabilities;
}

/** What the engine asks of a provider instead of its name. */
export interface ProviderCapabilities {
  /** How it compacts by itself: not at all, in a step that ends in a trigger, or at an endpoint of its own. */
  readonly remoteCompaction: 'none' | 'stream' | 'unary';
  /** Whether a tool may take free text that is held to a grammar. `none`: every tool is a function. */
  readonly freeformTools: 'grammar' | 'none';
  /** How requests of an account may be compressed. Absent: not at all. */
  readonly requestCompression?: 'zstd';
  /**
   * Whether a request may say how long its answer may be. `with-key`: not where an account with a plan pays. Absent: it
   * may not.
   */
  readonly outputLimit?: 'always' | 'with-key';
  /** Whether a request may name an access program. */
  readonly accessPrograms: 'known' | 'unknown';
}
