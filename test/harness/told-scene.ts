import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Question } from '../../src/protocol/question.ts';
import { answer, callTool, type ItemDraft, say } from '../../src/testing/index.ts';
import { LiveThread } from './live-thread.ts';
import { inputOf, textsOf } from './scene.ts';

export interface ToldScene {
  readonly config?: string;
  readonly rules?: string;
  /** In the order of the questions. After them: no. Absent: the user cannot be asked. */
  readonly answers?: readonly Answer[];
}

type Call = ItemDraft;

/** A thread whose model only makes calls: what it was told, and what its calls met. */
export async function toldScene({ config = '', rules, answers }: ToldScene) {
  const live = await LiveThread.in([], config);
  if (rules !== undefined) {
    mkdirSync(join(live.place.home, 'rules'), { recursive: true });
    writeFileSync(join(live.place.home, 'rules/default.rules'), rules);
  }
  const asked: Question[] = [];
  const left = [...(answers ?? [])];
  const askUser = {
    ask: async (question: Question): Promise<Answer> => {
      asked.push(question);
      return left.shift() ?? { kind: 'declined' };
    },
  };
  await live.open({}, answers === undefined ? {} : { askUser });
  /** All that the last request says. */
  const texts = (): readonly string[] => textsOf(inputOf(live.model, live.model.requests.length - 1)).map(String);
  return {
    live,
    asked,
    texts,
    /** The newest text about permissions, with what answers changed since. */
    told: (): string => {
      const all = texts();
      const whole = all.findLastIndex((text) => text.startsWith('<permissions instructions>'));
      const changes = all.slice(whole + 1).filter((text) => text.startsWith('<granted_permissions>'));
      return [all[whole] ?? '', ...changes].join('\n');
    },
    /** A turn with these calls, one after another; what each of them gave. */
    async calls(...made: readonly (string | Call)[]): Promise<readonly string[]> {
      const before = live.model.requests.length;
      for (const call of made) {
        live.model.push(answer({ items: [typeof call === 'string' ? command(call) : call] }));
      }
      live.model.push(answer({ items: [say('Done.')] }));
      await live.turn('go');
      return made.map((_, at) => {
        const items = inputOf(live.model, before + at + 1).filter(({ output }) => output !== undefined);
        return String(textsOf(items).at(-1));
      });
    },
  };
}

export function command(cmd: string, more: Readonly<Record<string, unknown>> = {}): Call {
  return callTool('exec_command', { cmd, ...more });
}
