import { readdirSync } from 'node:fs';
import { join } from 'node:path';
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

/** What it would ask the network for has no place in a measurement. */
const quiet =
  'check_for_update_on_startup = false\nmodel_auto_compact_token_limit = 100000000\nanalytics.enabled = false\n';

export const codex: Contender = contender('codex', 'Codex', { cmd: 'true' });

/** The model may ask for a shell that reads no profile files: what is left of the difference has other causes. */
export const codexPlainShell: Contender = contender('codex-plain-shell', 'Codex, no login shell', {
  cmd: 'true',
  login: false,
});

function contender(id: ContenderId, name: string, callArguments: { cmd: string; login?: boolean }): Contender {
  return {
    id,
    name,
    call: { tool: 'exec_command', arguments: callArguments },
    succeeded: (output) => output.includes('exited with code 0'),
    prepare: (setting) => writeDialectHome(setting, quiet),
    turn: (setting) => ({
      program: codexProgram(),
      arguments: turnArguments(setting, words),
      env: { ...plainEnvironment(setting.place.osHome), CODEX_HOME: setting.place.home },
      cwd: setting.place.workspace,
    }),
  };
}
