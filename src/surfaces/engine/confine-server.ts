import { builtInModes } from '../../policy/tables/built-in-tables.ts';
import type { McpWorld } from '../../mcp/mcp-world.ts';
import type { EngineParts } from './engine-parts.ts';

/** Isolates the processes of MCP servers for which the configuration names a mode or a permission profile. */
export function confineServer(engine: EngineParts): McpWorld['confine'] {
  return async (command, { sandbox, cwd }) => {
    const { openSandbox } = await import('./command-sandbox.ts');
    const opened = await openSandbox(engine, { cwd, permissions: { named: profileOf(sandbox) } });
    return 'code' in opened ? opened : opened.plan(command);
  };
}

/** A mode stands for its built-in profile. */
function profileOf(sandbox: string): string {
  return Object.keys(builtInModes).find((profile) => builtInModes[profile] === sandbox) ?? sandbox;
}
