import { plainDigest } from '../base/digest.ts';

export interface NamedMcpTool {
  readonly server: string;
  readonly tool: string;
}

/** Providers accept no more. */
const mostCharacters = 64;
const digits = 12;

/**
 * The name under which the model calls each tool: the same for the same tools, whatever order they come in. Two tools
 * that would have one name both get a digest of what they are really called, and so does a name that is too long.
 */
export function mcpToolNames<Named extends NamedMcpTool>(tools: readonly Named[]): ReadonlyMap<Named, string> {
  const plain = new Map(tools.map((tool) => [tool, serverPrefix(tool.server) + clean(tool.tool)]));
  const counts = new Map<string, number>();
  for (const name of plain.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    [...plain].map(([tool, name]) => {
      const isFine = counts.get(name) === 1 && name.length <= mostCharacters;
      return [tool, isFine ? name : `${name.slice(0, mostCharacters - digits - 1)}_${digestOf(tool)}`];
    }),
  );
}

/** What the names of a server's tools begin with. */
export function serverPrefix(server: string): string {
  return `mcp__${clean(server)}__`;
}

function clean(part: string): string {
  return part.replace(/[^A-Za-z0-9_]/g, '_') || '_';
}

function digestOf({ server, tool }: NamedMcpTool): string {
  return plainDigest(JSON.stringify([server, tool]), digits / 2);
}
