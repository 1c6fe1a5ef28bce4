import { resolve } from 'node:path';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { hooksCommand } from '../table/settings-commands.ts';
import { type ConfiguredHook, loadConfiguredHooks } from '../../../engine/home/user-hooks.ts';
import { currentFolderAndUser } from '../../views/terminal/process.ts';
import { unambiguousLine } from '../../views/terminal/exact-text.ts';
import { printResult } from '../../views/terminal/tables.ts';
import { print, printNote } from '../../views/terminal/print.ts';

export async function run({ variant, options }: CommandArguments<typeof hooksCommand>): Promise<number | Outcome> {
  const { folder = '.', key: keys } = options;
  const here = currentFolderAndUser();
  if ('code' in here) return here;
  const found = await loadConfiguredHooks(resolve(here.cwd, folder), here);
  if ('code' in found) return found;
  const unknown = keys.find((key) => !found.hooks.some((hook) => hook.key === key));
  if (unknown !== undefined) {
    const message = `There is no hook with the key ${JSON.stringify(unknown)}.`;
    return { code: 'hook-unknown', message, next: 'See the keys with `capstan hooks list`.' };
  }
  const chosen = found.hooks.filter(({ key }) => keys.length === 0 || keys.includes(key));
  if (variant === 'list') {
    printResult({ hooks: chosen }, options, () => chosen.map(described).join('\n') || 'No hooks.\n');
    for (const { message, next } of options.json ? [] : found.problems) printNote(`${message} ${next}`);
    return 0;
  }
  const managed = chosen.find(({ key, trust }) => trust === 'managed' && keys.includes(key));
  if (managed !== undefined) {
    const message = `The hook is managed: ${managed.source.path} defines it, and it always runs.`;
    return { code: 'hook-managed', message, next: 'Ask your administrator to change it.' };
  }
  const meant = chosen.filter(
    ({ trust }) => changes[variant].includes(trust) || (keys.length > 0 && trust === 'disabled'),
  );
  const failed = await found.decide(meant, variant);
  if (failed !== undefined) return failed;
  const verb = variant === 'trust' ? 'Trusted' : 'No longer trusted';
  const lines = meant.map(({ command, event }) => `${verb}: ${unambiguousLine(command, 'words')} (${event})\n`);
  print(lines.join('') || 'Nothing to change.\n', 'text');
  return 0;
}

/** The trust states that a command changes if the user names no hook. It switches no disabled hook on. */
const changes: Readonly<Record<'trust' | 'untrust', readonly ConfiguredHook['trust'][]>> = {
  trust: ['untrusted', 'modified'],
  untrust: ['trusted', 'modified'],
};

function described(hook: ConfiguredHook): string {
  const { key, event, matcher, command, trust, timeoutSeconds, isAsync, failClosed } = hook;
  const on = matcher === undefined ? event : `${event} ${unambiguousLine(matcher)}`;
  const more = [
    `time-out ${timeoutSeconds} s`,
    ...(isAsync ? ['async: Capstan does not wait for it'] : []),
    ...(failClosed ? ['failClosed: a failure blocks'] : []),
  ];
  return `${trust}: ${on}\n  command: ${unambiguousLine(command, 'words')}\n  ${more.join('; ')}\n  key: ${unambiguousLine(key)}\n`;
}
