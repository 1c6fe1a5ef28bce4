import type { AskUser } from '../../src/ports/ask-user.ts';
import type { Answer, Question } from '../../src/protocol/question.ts';
import { words } from '../../src/protocol/user-input.ts';
import { type Script, type ScriptedModel, startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import type { Tool } from '../../src/adapters/tools/tool.ts';
import { createToolRouter } from '../../src/adapters/tools/router.ts';
import { whenTestEnds } from './when-test-ends.ts';
import { WatchedThread } from './watched-thread.ts';

export interface NeedyScene {
  readonly live: WatchedThread;
  readonly model: ScriptedModel;
  readonly disk: SimulatedDisk;
  turn(text: string, signal?: AbortSignal): Promise<unknown>;
}

/** A thread on a simulated disk with these tools. */
export async function needyScene(script: Script, tools: () => readonly Tool[], askUser?: AskUser): Promise<NeedyScene> {
  const model = await startScriptedModel(script);
  whenTestEnds(() => model.close());
  const disk = new SimulatedDisk();
  const live = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
  live.adapt = (parts) => ({
    ...parts,
    router: createToolRouter([tools]),
    ...(askUser === undefined ? {} : { askUser }),
  });
  const turn = async (text: string, signal = new AbortController().signal) =>
    (await live.open()).run({ input: words(text), signal });
  return { live, model, disk, turn };
}

/** Answers what it is asked as the test says, and keeps the questions. */
export function answering(given: Answer | Promise<Answer>): AskUser & { readonly asked: Question[] } {
  const asked: Question[] = [];
  return {
    asked,
    ask: (question) => {
      asked.push(question);
      return Promise.resolve(given);
    },
  };
}

/** Answers each question with what the test gives for its command, and keeps the order in which it was asked. */
export function answeringCommands(
  answerTo: (cmd: string, signal: AbortSignal) => Answer | Promise<Answer>,
): AskUser & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    ask: async (question, signal) => {
      const cmd = question.argv?.at(-1) ?? '';
      asked.push(cmd);
      return answerTo(cmd, signal);
    },
  };
}
