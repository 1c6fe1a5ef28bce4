import { join } from 'node:path';
import { plainEnvironment } from '../process/command.ts';
import { turnArguments, writeDialectHome } from './codex-dialect.ts';
import { type Contender, words } from './contender.ts';

export const capstanProgram = join(import.meta.dirname, '../../dist/bin.cjs');

export const capstan: Contender = {
  id: 'capstan',
  name: 'Capstan',
  call: { tool: 'exec_command', arguments: { cmd: 'true' } },
  succeeded: (output) => output.includes('exited with code 0'),
  prepare: (setting) => writeDialectHome(setting, ''),
  turn: (setting) => ({
    program: process.execPath,
    arguments: [capstanProgram, ...turnArguments(setting, words)],
    env: { ...plainEnvironment(setting.place.osHome), CAPSTAN_HOME: setting.place.home },
    cwd: setting.place.workspace,
  }),
};
