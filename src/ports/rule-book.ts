import type { AskedHost } from '../protocol/asked-host.ts';
import type { Outcome } from '../protocol/outcome.ts';

/** What a rule would allow from now on: commands that begin with these words, a host, or a tool of an MCP server. */
export type RuleToSave =
  | { readonly kind: 'prefix'; readonly prefix: readonly string[] }
  | { readonly kind: 'host'; readonly host: AskedHost }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string; readonly digest: string };

/** Where rules are saved that the user allows with an answer. */
export interface RuleBook {
  /** Saving the same rule again does nothing. Gives why it could not be saved, if it could not. Never rejects. */
  save(rule: RuleToSave): Promise<Outcome | undefined>;
}
