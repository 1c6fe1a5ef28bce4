import type { Envelope } from '../../envelope/envelope.ts';
import type { Step } from '../../envelope/step.ts';
import type { ModelRequest } from '../../ports/model-client.ts';
import type { RequestOptions, ToolSpec } from '../../ports/prompt.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Auxiliary } from '../../state/request-record.ts';
import type { RetryCount } from './try-again.ts';

/** A request for an answer of a model: of a step, or beside the conversation. */
export interface RequestToSend {
  readonly step: Step;
  readonly attempt: number;
  /** Counts each time that it is sent again. */
  readonly retries: RetryCount;
  /** The contract under which the model is asked. */
  readonly by: Envelope;
  readonly provider: Provider;
  readonly options: RequestOptions;
  readonly tools: readonly ToolSpec[];
  readonly modalities: readonly string[];
  /** Absent: a request of the conversation. */
  readonly auxiliary?: Auxiliary;
  /** `unary`: the provider makes a checkpoint by itself, and answers when it is done. */
  readonly form: 'stream' | 'unary';
  /** What is wanted, where it is no answer to a conversation. */
  readonly wants?: ModelRequest['wants'];
  readonly maxBytes?: number;
}
