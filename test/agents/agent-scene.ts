import { type Engine, liveThreads, type ThreadRequest } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { RecordedRequest, ScriptStep } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { textsOf } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** The answer of one of several agents to a request. */
export type Says = (request: AgentRequest) => ScriptStep | Promise<ScriptStep>;

export interface AgentRequest {
  /** All texts of the request. */
  readonly texts: readonly string[];
  readonly body: JsonObject;
  /** Requests that this agent has sent before. */
  readonly index: number;
}

/**
 * A thread whose requests and those of its agents are answered by name: an agent is known by a word in its task. What no
 * name is found in is the root's.
 */
export async function agentScene(
  speakers: Readonly<Record<string, Says>>,
  {
    config = '',
    features = '',
    open = {},
  }: { readonly config?: string; readonly features?: string; readonly open?: Partial<ThreadRequest> } = {},
) {
  const counts = new Map<string, number>();
  const requests: { readonly name: string; readonly texts: readonly string[] }[] = [];
  const script = async ({ body }: RecordedRequest): Promise<ScriptStep> => {
    const texts = textsOf(body['input'] as unknown as readonly JsonObject[]).map(String);
    const own = texts.filter((text) => text.startsWith('TASK '));
    const name = /^TASK (\w+)/.exec(own.at(0) ?? '')?.[1] ?? 'root';
    const index = counts.get(name) ?? 0;
    counts.set(name, index + 1);
    requests.push({ name, texts });
    return speakers[name]!({ texts, body: body as JsonObject, index });
  };
  const live = await LiveThread.in(script, `${config}\n[features]\nmulti_agent = true\n${features}`);
  const engine = async (): Promise<Engine> => {
    const made = await live.engine();
    liveThreads(made);
    whenTestEnds(() => made.close());
    return made;
  };
  const begin = async () => {
    const made = await engine();
    const opened = await made.start({ cwd: live.place.workspace, ...open });
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    return { engine: made, thread: opened.thread };
  };
  const of = (name: string) => requests.filter((each) => each.name === name).map(({ texts }) => texts);
  return { live, engine, begin, requests, of };
}
