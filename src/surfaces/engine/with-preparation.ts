import type { ModelClient, SentFrame } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';

/** Called when the model begins to answer, and with the state of the server's list of models where it names that. */
type Answers = (etag?: string) => void;

/** While the model thinks there is time to look around; the first command finds the answers waiting. */
export function withPreparation(client: ModelClient, prepare: () => Promise<void>, answers: Answers): ModelClient {
  return {
    async *stream(request, signal) {
      let preparing: Promise<void> | undefined;
      const onSent = (frame?: SentFrame): void => {
        request.onSent?.(frame);
        preparing ??= prepare();
      };
      let isReady = false;
      for await (const event of client.stream({ ...request, onSent }, signal)) {
        // What a format gives in the place of an event is judged by the reader.
        if (event?.kind === 'models-etag') {
          answers(event.etag);
          continue;
        }
        // A call that begins at once is decided at once.
        if (!isReady) {
          answers();
          await (preparing ??= prepare());
        }
        isReady = true;
        yield event;
      }
    },
    ...defined({ compact: client.compact?.bind(client) }),
    ...besideStreams(client),
    ...defined({ lengthField: client.lengthField?.bind(client) }),
    authMode: () => client.authMode(),
  };
}

/** What a client does before and after all requests. */
function besideStreams(client: ModelClient): Pick<ModelClient, 'prewarm' | 'close'> {
  return defined({ prewarm: client.prewarm?.bind(client), close: client.close?.bind(client) });
}
