import type { ThreadWriter } from '../../engine/thread-writer.ts';
import { clockTime } from '../../wording/time-words.ts';

/** Who writes a thread, for people. */
export function writerWords({ name, pid, since, command }: ThreadWriter): string {
  const program = command === undefined || command === '' ? name : `${name} ${command}`;
  const more = [
    ...(command === '' ? ['another terminal'] : []),
    ...(pid === undefined ? [] : [`process ${pid}`]),
    ...(since === undefined || Number.isNaN(since) ? [] : [`since ${clockTime(since)}`]),
  ];
  return more.length === 0 ? program : `${program} (${more.join(', ')})`;
}
