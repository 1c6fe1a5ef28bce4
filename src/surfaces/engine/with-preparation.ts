import type { ModelClient } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';

/** While the model thinks there is time to look around; the first command finds the answers waiting. */
export function withPreparation(client: ModelClient, prepare: () => Promise<void>): ModelClient {
  return {
    async *stream(request, signal) {
      let preparing: Promise<void> | undefined;
      const onSent = (): void => {
        request.onSent?.();
        preparing ??= prepare();
      };
      let isReady = false;
      for await (const event of client.stream({ ...request, onSent }, signal)) {
        // A call that begins at once is decided at once.
        if (!isReady) await (preparing ??= prepare());
        isReady = true;
        yield event;
      }
    },
    ...defined({ compact: client.compact?.bind(client) }),
    authMode: () => client.authMode(),
  };
}
