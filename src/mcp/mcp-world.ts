import type { McpServerConfig } from '../config/mcp-servers.ts';
import type { Clock } from '../ports/clock.ts';
import type { PlainCommand, RunnableCommand } from '../ports/sandbox.ts';
import type { StartServerProcess } from '../ports/server-process.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Variables } from '../protocol/variables.ts';
import type { CredentialStore } from './oauth/credential-store.ts';
import type { Visitor } from './oauth/login-session.ts';
import type { ListingFiles } from './listing-file.ts';

/** What connections to servers need of the engine. */
export interface McpWorld {
  readonly clock: Clock;
  readonly env: Variables;
  /** Who we are, for servers. */
  readonly client: { readonly name: string; readonly version: string };
  readonly startProcess: StartServerProcess;
  /** Isolates a server's process. `sandbox`: the mode or profile that the configuration names; `cwd`: the thread's folder. */
  confine(
    command: PlainCommand,
    where: { readonly sandbox: string; readonly cwd: string },
  ): Promise<RunnableCommand | Outcome>;
  /** Where a program is that the user names; undefined where it is not, or where commands could have put it there. */
  findProgram(name: string): string | undefined;
  /** The search path for programs, without folders that commands may write. */
  searchPath(): string;
  /** The folder that programs start in: no command may write there. */
  programFolder(): string;
  readonly listings: ListingFiles;
  readonly credentials: CredentialStore;
  /** Text that no one can guess. */
  random(): string;
  /** Sends the user to the page of a login. Absent: no one is asked, and a server that wants a login fails. */
  readonly visitor?: Visitor;
}

/** A server, and the folder of the thread, which it works on. */
export interface PlacedServer {
  readonly config: McpServerConfig;
  readonly cwd: string;
}
