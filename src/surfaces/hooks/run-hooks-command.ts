import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { hooksCommand } from '../commands/hooks-command.ts';
import { type ConfiguredHook, loadConfiguredHooks } from '../engine/configured-hooks.ts';
import { currentFolder } from '../terminal/current-folder.ts';
import { print, printNote } from '../terminal/print.ts';

/** `capstan hooks`. */
export async function run({ variant, options }: CommandArguments<typeof hooksCommand>): Promise<number | Outcome> {
  const { folder = '.', key: keys, json } = options;
  const here = currentFolder();
  if ('code' in here) return here;
  const env = process.env;
  const found = await loadConfiguredHooks(resolve(here.path, folder), { env, osHome: homedir(), cwd: here.path });
  if ('code' in found) return found;
  const unknown = keys.find((key) => !found.hooks.some((hook) => hook.key === key));
  if (unknown !== undefined) {
    const message = `There is no hook with the key ${JSON.stringify(unknown)}.`;
    return { code: 'hook-unknown', message, next: 'See the keys with `capstan hooks list`.' };
  }
  const chosen = found.hooks.filter(({ key }) => keys.length === 0 || keys.includes(key));
  if (variant === 'list') {
    if (json) print(`${JSON.stringify({ hooks: chosen })}\n`, 'json');
    else print(chosen.length === 0 ? 'No hooks.\n' : chosen.map(described).join('\n'), 'text');
    for (const { message, next } of json ? [] : found.problems) printNote(`${message} ${next}`);
    return 0;
  }
  const own = chosen.filter(({ trust }) => trust !== 'managed');
  const failed = await found.decide(own, variant);
  if (failed !== undefined) return failed;
  const verb = variant === 'trust' ? 'Trusted' : 'No longer trusted';
  print(
    own.length === 0 ? 'No hooks.\n' : own.map(({ command, event }) => `${verb}: ${command} (${event})\n`).join(''),
    'text',
  );
  return 0;
}

function described({ key, event, matcher, command, trust }: ConfiguredHook): string {
  const on = matcher === undefined ? event : `${event} ${matcher}`;
  return `${trust}: ${on}\n  command: ${command}\n  key: ${key}\n`;
}
