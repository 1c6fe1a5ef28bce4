import type { ServerTool } from '../offer/server-tool.ts';
import { settledWithin } from '../../terminal/settled-within.ts';

/** The calls that are not answered yet. */
export class OpenCalls {
  readonly #open = new Set<Promise<unknown>>();

  counting(tool: ServerTool): ServerTool {
    return {
      ...tool,
      call: (args, context) => {
        const answer = tool.call(args, context);
        this.#open.add(answer);
        const forget = (): void => void this.#open.delete(answer);
        answer.then(forget, forget);
        return answer;
      },
    };
  }

  /** Resolves when those that are open now have their answers, or the time is over. */
  answered(ms: number): Promise<void> {
    return settledWithin(Promise.allSettled(this.#open), ms);
  }
}
