import { readUserShellCommand } from '../fragments/events/read-user-shell-command.ts';
import { defined } from '../protocol/defined.ts';
import { asItem, isMessage, type Item } from '../protocol/item.ts';
import { type JsonObject, stringAt } from '../protocol/json.ts';
import type { CommandItem } from '../protocol/turn-item.ts';

/** A command of the user, and which of its two lines said so: other programs write an item and a message for the model. */
export interface ToldCommand {
  readonly by: 'item' | 'message';
  readonly item: CommandItem;
}

/**
 * The other line of the same run, among those whose other line has not come. The message may have the output cut and the
 * item has all of it, so that only the command and its exit code are the same in both.
 */
export function otherLineOf(told: readonly ToldCommand[], { by, item }: ToldCommand): ToldCommand | undefined {
  return told.find(
    (other) => other.by !== by && other.item.argv.at(-1) === item.argv.at(-1) && other.item.exitCode === item.exitCode,
  );
}

/** A command that the user ran, where a `capstan_waiting` line says what came of one. */
export function userCommandIn(payload: JsonObject): CommandItem | undefined {
  const item = payload['kind'] === 'item' ? asItem(payload['item']) : undefined;
  return item && userCommandOf(item, '');
}

/** The same where an item tells the model of it. `name`: for one that has no id. */
export function userCommandOf(item: Item, name: string): CommandItem | undefined {
  if (!isMessage(item) || item.role !== 'user' || item.content.length !== 1) return undefined;
  const told = readUserShellCommand(stringAt(item.content[0], 'text') ?? '');
  if (told === undefined) return undefined;
  const { command, exitCode, isStopped, seconds, output } = told;
  return {
    kind: 'command',
    id: stringAt(item, 'id') ?? name,
    byUser: true,
    argv: ['sh', '-c', command],
    cwd: '',
    status: exitCode === 0 ? 'completed' : 'failed',
    output,
    durationMs: seconds * 1000,
    ...defined({ exitCode, unfinished: isStopped === true ? ('interrupted' as const) : undefined }),
  };
}
