import type { AskUser } from '../../src/ports/ask-user.ts';
import type { Answer } from '../../src/protocol/question.ts';
import type { Line } from '../../src/protocol/line.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { answer, callTool, say, type Script } from '../../src/testing/index.ts';
import type { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import type { Tool } from '../../src/adapters/tools/tool.ts';
import { createToolRouter } from '../../src/adapters/tools/router.ts';
import { answeringCommands, needyScene, type NeedyScene } from './needy-scene.ts';
import { escalating } from './needy-tools.ts';

const never = new Promise<Answer>(() => {});
/** A step of the model with these commands. One that begins with `plain` needs no answer. */
export const calls = (...commands: readonly string[]) =>
  answer({
    items: commands.map((cmd) => callTool('reach', { cmd, ...(cmd.startsWith('plain') ? { plain: true } : {}) })),
  });
export const done = answer({ items: [say('Done.')] });

export interface Waiting extends NeedyScene {
  readonly tool: ReturnType<typeof escalating>;
  readonly ended: Promise<unknown>;
  /** The process is killed. Whom the next one asks, and with which tool. */
  resume(askUser: AskUser | undefined, tool?: Tool): Promise<void>;
  /** The waiting question is answered, and the process is killed when it says that this happened. No one is asked then. */
  resumeFrom(moment: ThreadEvent['kind'], given: Answer): Promise<boolean>;
  readonly asking: AskUser & { readonly asked: readonly string[] };
}

/** A thread whose first turn waits for its first answer, unless other answers are given. */
export async function waiting(
  script: Script,
  answerTo: (cmd: string) => Answer | Promise<Answer> = () => never,
): Promise<Waiting> {
  const tool = escalating();
  const asking = answeringCommands(answerTo);
  const made = await needyScene(script, () => [tool], asking);
  const { live, disk } = made;
  const { adapt } = live;
  live.settings = { approvals: 'on-request' };
  const asked = new Promise<void>((resolve) => {
    live.onEvent = ({ kind }) => (kind === 'question-asked' ? resolve() : undefined);
  });
  const ended = made.turn('go').catch(() => undefined);
  await asked;
  const goOn = (survivor: SimulatedDisk, askUser: AskUser | undefined, other: Tool): void => {
    live.replaceDisk({ home: '/home', files: survivor, locks: survivor.locks });
    live.adapt = (parts) => {
      const { askUser: _none, ...rest } = adapt(parts);
      const tools = { router: createToolRouter([() => [other]]) };
      return { ...rest, ...tools, ...(askUser === undefined ? {} : { askUser }) };
    };
  };
  const resume = (askUser: AskUser | undefined, other: Tool = tool): Promise<void> => {
    goOn(disk.kill(), askUser, other);
    return Promise.resolve();
  };
  const resumeFrom = async (moment: ThreadEvent['kind'], given: Answer): Promise<boolean> => {
    let survivor: SimulatedDisk | undefined;
    live.onEvent = ({ kind }) => {
      if (kind === moment) survivor ??= disk.kill();
    };
    const thread = live.live!;
    await thread.answer(thread.questions[0]!.id, given);
    await ended;
    if (survivor !== undefined) goOn(survivor, undefined, tool);
    return survivor !== undefined;
  };
  return { ...made, tool, ended, resume, resumeFrom, asking };
}

/** The types of lines, of one call if it is named; of questions whether they ask or answer. */
export function typesOf(lines: readonly Line[], callId?: string): readonly string[] {
  return lines
    .filter(({ payload }) => callId === undefined || payload['call_id'] === callId)
    .map(({ type, payload }) => {
      if (type === 'capstan_question') return payload['answer'] === undefined ? 'question' : 'answer';
      return type === 'response_item' ? String(payload['type']) : type;
    });
}
