import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/protocol/json.ts';
import { peersFolder } from '../peers.ts';
import { plainEnvironment } from '../process/command.ts';
import { turnArguments, writeDialectHome } from './codex-dialect.ts';
import { type Contender, type ContenderId, words } from './contender.ts';

/** The program itself, without the Node script that npm puts before it. */
export function codexProgram(): string {
  const vendor = join(peersFolder, `node_modules/@openai/codex-${process.platform}-${process.arch}/vendor`);
  return join(vendor, readdirSync(vendor)[0] ?? '', 'bin/codex');
}

export const codexShim = join(peersFolder, 'node_modules/@openai/codex/bin/codex.js');

/** A measurement asks no server for updates and reports to none. */
const quiet = `check_for_update_on_startup = false
model_auto_compact_token_limit = 100000000
analytics.enabled = false
`;

/** By default it looks for plugins on the network when it starts, with several child processes. */
const withoutPlugins = `features.plugins = false
features.remote_plugin = false
features.plugin_discovery_prefetch = false
`;

/** As released. */
export const codex: Contender = contender('codex', 'Codex', { config: quiet, call: { cmd: 'true' } });

/** At its best: without plugins, and the model asks for a shell that reads no profile files. */
export const codexLean: Contender = contender('codex-lean', 'Codex, lean', {
  config: quiet + withoutPlugins,
  call: { cmd: 'true', login: false },
});

function contender(
  id: ContenderId,
  name: string,
  { config, call }: { readonly config: string; readonly call: JsonObject },
): Contender {
  return {
    id,
    name,
    call: { tool: 'exec_command', arguments: call },
    succeeded: (output) => output.includes('exited with code 0'),
    prepare: (setting) => writeDialectHome(setting, config),
    turn: (setting) => ({
      program: codexProgram(),
      arguments: turnArguments(setting, words),
      env: { ...plainEnvironment(setting.place.osHome), CODEX_HOME: setting.place.home },
      cwd: setting.place.workspace,
    }),
  };
}
