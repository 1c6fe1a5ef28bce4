import type { JsonObject } from '../../protocol/json.ts';
import type { ListedServer } from '../engine/mcp-registry.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { plural } from '../wording/number-words.ts';

/** How a server is reached: its command, or its address. */
export function serverWay({ command, args = [], url }: JsonObject): string {
  return visibleLine(url === undefined ? [command, ...(args as readonly string[])].join(' ') : String(url));
}

/** How a server stands, in a few words. */
export function serverState({ enabled, problem, tools, failure, isLoggedIn }: ListedServer): string {
  const unknown =
    failure === undefined
      ? 'tools not known yet'
      : `did not start: ${visibleLine(failure)}; Capstan waits for it again in the next run`;
  const down = failure === undefined ? '' : `; did not start when it was last tried: ${visibleLine(failure)}`;
  const known = tools === undefined ? unknown : `${plural(tools, 'tool')}${down}`;
  const state = problem !== undefined ? problem.message : enabled ? known : 'disabled';
  return isLoggedIn ? `${state}, logged in` : state;
}
