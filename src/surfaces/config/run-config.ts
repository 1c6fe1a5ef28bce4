import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { kindOfEntry } from '../../disk/file-system.ts';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { configCommand } from '../commands/config-command.ts';
import { currentFolder } from '../terminal/current-folder.ts';
import { print, printNote } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';
import { type Configured, loadConfigured } from '../engine/configured.ts';
import { explainKey } from './explain.ts';
import { layerState, showJson, showToml } from './show.ts';

type ConfigArguments = CommandArguments<typeof configCommand>;

/** `capstan config`. 0: shown; 1: shown, and there is an error in the configuration, or no such key; 2: wrong usage. */
export async function run(given: ConfigArguments): Promise<number | Outcome> {
  const { folder = '.', profile, json, ...choices } = given.options;
  const here = currentFolder();
  if ('code' in here) return here;
  const configured = await loadConfigured(resolve(here.path, folder), {
    ...choices,
    env: process.env,
    ...defined({ profile }),
    osHome: homedir(),
    cwd: here.path,
  });
  if ('code' in configured) return configured;
  const answer = answerTo(given, configured);
  if ('code' in answer) return answer;
  print(answer.text, json ? 'json' : 'text');
  const { problems, notices } = configured;
  // A program finds them in the object.
  if (!json)
    for (const { message, next } of problems) printNote(`${message}${message.includes('\n') ? '\n' : ' '}${next}`);
  if (!json && given.variant === 'show') for (const { message } of notices) printNote(message);
  return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
}

function answerTo(
  { variant, words: [key = ''], options }: ConfigArguments,
  configured: Configured,
): { readonly text: string } | Outcome {
  switch (variant) {
    case 'explain':
      return explainKey(configured, key);
    case 'path':
      return { text: pathText(configured) };
    case 'show':
      return { text: options.json ? showJson(configured, options) : showToml(configured, options) };
  }
}

/** The files in the order in which they are laid over each other, then the one that says what may be chosen at all. */
function pathText(configured: Configured): string {
  const files = configured.layers.filter(({ name }) => name !== 'default' && name !== 'flags');
  const { requirementsFile: required } = configured;
  const rows = files.map((layer) => [layer.name, layer.source, layerState(layer, configured)]);
  const state = required === undefined || kindOfEntry(required) !== 'missing' ? '' : 'no such file';
  return table([...rows, ...(required === undefined ? [] : [['requirements', required, state]])]);
}
