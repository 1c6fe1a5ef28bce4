import type { AskUser } from '../../../ports/ask-user.ts';
import { awaitAnswer } from '../../engine/await-answer.ts';
import type { ServerTool } from '../offer/server-tool.ts';

/**
 * Whether the client of the newest call can ask its user. Where questions of other clients are declined, a turn of such a
 * client is told from its start that no one can be asked.
 */
export class NewestClient {
  #canAsk = false;

  /** Clients answer, as they do without it. */
  readonly askUser: AskUser = { ...awaitAnswer, isThere: () => this.#canAsk };

  noticing(tool: ServerTool): ServerTool {
    return {
      ...tool,
      call: (args, context) => {
        this.#canAsk = context.client.canAsk;
        return tool.call(args, context);
      },
    };
  }
}
