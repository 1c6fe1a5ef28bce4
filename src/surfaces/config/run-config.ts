import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { kindOfEntry } from '../../disk/file-system.ts';
import { findHome } from '../../gather/home.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { complain } from '../complain.ts';
import { currentFolder } from '../current-folder.ts';
import { outlastReaders } from '../outlast-readers.ts';
import { print, printNote } from '../print.ts';
import { type ConfigArguments, configUsage, parseConfigArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { type Configured, loadConfigured } from './configured.ts';
import { explainKey } from './explain.ts';
import { layerState } from './layer-state.ts';
import { showJson, showToml } from './show.ts';

/** `capstan config`. 0: shown; 1: shown, and there is an error in the configuration, or no such key; 2: wrong usage. */
export async function runConfig(words: readonly string[]): Promise<number> {
  outlastReaders();
  const asked = parseConfigArguments(words);
  if ('code' in asked) return complain(asked, 2);
  if (asked.command === 'help') {
    print(configUsage, 'text');
    return 0;
  }
  const home = findHome(process.env, homedir());
  if ('code' in home) return complain(home, 1);
  const here = currentFolder();
  if ('code' in here) return complain(here, 1);
  const cwd = here.path;
  const configured = await loadConfigured(home.path, resolve(cwd, asked.folder ?? '.'), {
    ...asked,
    osHome: homedir(),
    cwd,
  });
  const answer = answerTo(asked, configured);
  if ('code' in answer) return complain(answer, 1);
  print(answer.text, asked.json ? 'json' : 'text');
  const { problems } = configured;
  // A program finds them in the object.
  if (!asked.json) for (const { message, next } of problems) printNote(`${message} ${next}`);
  return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
}

function answerTo(asked: ConfigArguments, configured: Configured): { readonly text: string } | Outcome {
  switch (asked.command) {
    case 'explain':
      return explainKey(configured, asked.key ?? '');
    case 'path':
      return { text: pathText(configured) };
    default:
      return { text: asked.json ? showJson(configured, asked) : showToml(configured, asked) };
  }
}

/** The files in the order in which they are laid over each other, then the one that says what may be chosen at all. */
function pathText(configured: Configured): string {
  const files = configured.layers.filter(({ name }) => name !== 'default' && name !== 'flags');
  const { requirementsFile: required } = configured;
  const rows = files.map((layer) => [layer.name, layer.source, layerState(layer, configured)]);
  const state = required === undefined || kindOfEntry(required) !== 'missing' ? '' : 'no such file';
  return columns([...rows, ...(required === undefined ? [] : [['requirements', required, state]])]);
}
