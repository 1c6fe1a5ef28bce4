import type { ThreadId } from '../../protocol/ids.ts';
import type { Pin } from '../../state/pins.ts';
import { unprovenNotice } from '../engine/unproven-notice.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { pinsCommand } from '../commands/threads-change-commands.ts';
import type { Done } from '../engine/stored-threads.ts';
import { operateOnThread } from './thread-operation.ts';

type PinList = Done<{ readonly kind: 'pins'; readonly id: ThreadId; readonly pins: readonly Pin[] }>;

/** `capstan threads pins` */
export function run(given: CommandArguments<typeof pinsCommand>) {
  return operateOnThread<PinList>(given, {
    archived: true,
    perform: async (engine, id) => {
      const unproven = await engine.stored.unproven(id);
      const notice = unprovenNotice(id, { ...unproven, messages: [] });
      return { kind: 'pins', id, pins: await engine.stored.pins(id), notices: notice === undefined ? [] : [notice] };
    },
    text: ({ id, pins }) =>
      pins.length === 0
        ? `Nothing is pinned to thread ${id}.`
        : pins.map((pin, at) => `${at + 1}.  ${pin.id}\n${pin.text.replaceAll(/^/gm, '    ')}`).join('\n'),
  });
}
