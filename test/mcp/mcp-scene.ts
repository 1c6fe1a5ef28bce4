import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Question } from '../../src/protocol/question.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say, type ItemDraft } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf } from '../harness/scene.ts';

const program = join(import.meta.dirname, 'start-scripted-server.mjs');

/** A tool that any policy lets run. */
export const reading = { readOnlyHint: true, openWorldHint: false };

export interface McpSceneOptions {
  readonly plan: object;
  /** More lines of the server's table. */
  readonly server?: string;
  /** More of the configuration, before the servers. */
  readonly config?: string;
  readonly after?: string;
  readonly answers?: readonly Answer[];
  /** The folder for the plan and the log of the server: by default out of the reach of commands. */
  readonly files?: 'home' | 'workspace';
  /** The demands of the administrator of the machine. */
  readonly requirements?: string;
}

/** A thread with a scripted server named `s`. */
export async function mcpScene(options: McpSceneOptions) {
  const { plan, server = '', config = '', after = '', answers, requirements, files = 'home' } = options;
  const live = await LiveThread.in([], config);
  const planFile = join(live.place[files], 'plan.json');
  const logFile = join(live.place[files], 'server.log');
  writeFileSync(planFile, JSON.stringify(plan));
  const configFile = join(live.place.home, 'config.toml');
  const table = `
[mcp_servers.s]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([program, planFile, logFile])}
${server}
${after}`;
  writeFileSync(configFile, `${readFileSync(configFile, 'utf8')}\n${table}`);
  const asked: Question[] = [];
  const left = [...(answers ?? [])];
  const askUser = {
    ask: async (question: Question): Promise<Answer> => {
      asked.push(question);
      return left.shift() ?? { kind: 'declined' };
    },
  };
  const etc = join(live.place.root, 'etc');
  if (requirements !== undefined) {
    mkdirSync(etc, { recursive: true });
    writeFileSync(join(etc, 'requirements.toml'), requirements);
  }
  const managed = requirements === undefined ? {} : { systemFolders: [etc] };
  const request = answers === undefined ? {} : { askUser };
  const toolNames = (at: number): readonly string[] => {
    const { tools = [] } = Object(live.model.requests[at]?.body) as { readonly tools?: readonly JsonObject[] };
    return tools.map(({ name }) => String(name));
  };
  return {
    live,
    asked,
    toolNames,
    configFile,
    plan: (next: object): void => writeFileSync(planFile, JSON.stringify(next)),
    log: (): readonly JsonObject[] =>
      existsSync(logFile)
        ? readFileSync(logFile, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as JsonObject)
        : [],
    open: () => live.open(managed, request),
    /** A turn with these calls, one after another; what each of them gave. */
    async calls(...made: readonly ItemDraft[]): Promise<readonly unknown[]> {
      const before = live.model.requests.length;
      for (const call of made) live.model.push(answer({ items: [call] }));
      live.model.push(answer({ items: [say('Done.')] }));
      await live.turn('go');
      return made.map(
        (_, at) => inputOf(live.model, before + at + 1).findLast(({ output }) => output !== undefined)?.['output'],
      );
    },
  };
}

export function mcpCall(tool: string, given: JsonObject = {}): ItemDraft {
  return callTool(`mcp__s__${tool}`, given);
}
