import type { ThreadId } from '../../protocol/ids.ts';
import type { Pin } from '../../state/pins.ts';
import type { Done } from '../engine/thread-operations.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';

type PinList = Done<{ readonly kind: 'pins'; readonly id: ThreadId; readonly pins: readonly Pin[] }>;

const command: OnThread<PinList> = {
  form: {
    name: 'threads pins',
    summary: 'Shows the notes that are pinned to a thread.',
    forms: ['THREAD [--json]', '--last [--all] [--json]'],
    options: threadOptions,
  },
  archived: true,
  more: 0,
  run: async (engine, id) => ({ kind: 'pins', id, pins: await engine.pins(id), notices: [] }),
  text: ({ id, pins }) =>
    pins.length === 0
      ? `Nothing is pinned to thread ${id}.`
      : pins.map((pin, at) => `${at + 1}.  ${pin.id}\n${pin.text.replaceAll(/^/gm, '    ')}`).join('\n'),
};

export const { form } = command;

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
