import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { accessTokenVariable } from '../../../core/policy/environment/shell-environment-policy.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { version } from '../../../protocol/version.ts';
import { commandLineOverrides } from '../../views/command-line/load-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { mcpServerCommand } from '../../views/command-line/surface-commands.ts';
import { Engine } from '../../../engine/engine.ts';
import { liveThreads } from '../../../engine/live/live-threads.ts';
import { currentFolder, endOnSignal } from '../../views/terminal/process.ts';
import { printNote } from '../../views/terminal/print.ts';
import { createMcpApp, settledWithin } from './app.ts';
import { type AccessToken, resolveAccessToken, type HttpAddress, parseHttpAddress } from './wire/http-access.ts';
import type { ServedApp } from './wire/protocol-server.ts';
import { serveHttp } from './wire/serve-http.ts';
import { type RunningServer, serveStdio } from './wire/serve-stdio.ts';

/** The time for a departed host to read the last messages, and for threads to end, before the process exits. */
const leavingMs = 5000;
/** The part of the second after a signal that threads have to end before their clients are disconnected. */
const endingMs = 700;
/** An idle thread is closed after this time, so that commands can resume it. */
const idleMs = 60_000;
type Options = CommandArguments<typeof mcpServerCommand>['options'];

export async function run({ options }: CommandArguments<typeof mcpServerCommand>): Promise<number | Outcome> {
  const here = currentFolder();
  if ('code' in here) return here;
  const cwd = resolve(here.path, options.folder ?? '.');
  const listen = options.http === undefined ? undefined : httpChoices(options.http, options, here.path);
  if (listen !== undefined && 'code' in listen) return listen;
  const { profile, overrides, strictConfig, onQuestion, compat, sandboxFallback } = options;
  const client = { name: 'capstan-mcp-server', version, source: 'mcp' };
  const secretFiles = options.tokenFile === undefined ? undefined : [resolve(here.path, options.tokenFile)];
  const choices = { config: commandLineOverrides(overrides), strictConfig, profile, secretFiles, sandboxFallback };
  const engine = await Engine.load({ env: process.env, osHome: homedir(), cwd, client, ...choices });
  if (engine.kind === 'refused') return engine.outcome;
  const folder = engine.lookAtFolder(cwd);
  if ('code' in folder) return folder;
  for (const { message } of engine.notices) report(message);

  const app = createMcpApp(engine, liveThreads(engine, { idleMs }), { cwd, onQuestion });
  const ending = endOnSignal({});
  const served: ServedApp = { app: { ...app, instructions }, listsAliases: compat, report };
  const server = listen === undefined ? serveHost(served) : await serveHosts(served, listen);
  if ('code' in server) return server;
  let closing: Promise<void> | undefined;
  const closeThreads = (ms: number): Promise<void> => {
    closing ??= app.close().catch((error: unknown) => report(String(error)));
    return settledWithin(closing, ms);
  };
  // Threads are closed first: calls are answered while there are connections, and the model learns who ended its turns.
  ending.signal.addEventListener('abort', () => void closeThreads(endingMs).then(() => server.close()));
  await server.ended;
  await closeThreads(leavingMs);
  await letGoOfOutput();
  ending.over();
  return 0;
}

const instructions =
  'Capstan is a coding agent with its own sandbox. thread_start begins a conversation, thread_send continues it and answers at the end of the turn. From its first message on a conversation stays on disk: thread_list and thread_read find it again. thread_id is an id, the beginning of one, or a name.';

const withoutToken =
  'Without a token every program on this machine can run commands as you, and so can a sandboxed command that may use the network.';

function report(problem: string): void {
  printNote(`capstan: ${problem}`);
}

function serveHost(served: ServedApp): RunningServer {
  if (process.stdin.isTTY) printNote('This is a server for MCP hosts, which start it themselves. Ctrl-C ends it.');
  return serveStdio(served, { input: process.stdin, output: process.stdout });
}

async function serveHosts(served: ServedApp, listen: HttpAddress & AccessToken): Promise<RunningServer | Outcome> {
  try {
    const server = await serveHttp(served, listen);
    if (listen.token === undefined) report(withoutToken);
    printNote(`MCP server at ${server.url}`);
    if (listen.isNew) printNote(`Authorization: Bearer ${listen.token}`);
    return server;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { code: 'no-port', message: `The server cannot listen: ${why}.`, next: 'Choose another port with --http.' };
  }
}

function httpChoices(written: string, { noToken, tokenFile }: Options, cwd: string) {
  const address = parseHttpAddress(written);
  if ('code' in address) return address;
  const variable = process.env[accessTokenVariable];
  const access = resolveAccessToken({ host: address.host, noToken, file: tokenFile, variable, cwd });
  return 'code' in access ? access : { ...address, ...access };
}

/** A host that has stopped reading must not keep the process alive. */
async function letGoOfOutput(): Promise<void> {
  const written = new Promise<void>((resolve) => void process.stdout.write('', () => resolve()));
  const isWritten = await Promise.race([written.then(() => true), wait(1000, false, { ref: false })]);
  if (!isWritten) process.stdout.destroy();
}
