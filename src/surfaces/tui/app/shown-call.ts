import type { TurnItem } from '../../../protocol/turn-item.ts';
import { cellOf } from '../cells/cell-of.ts';
import type { CallStanding } from '../cells/command-cell.ts';
import type { TranscriptEntry } from './transcript.ts';

/** More of a running command's output is not drawn while it runs. */
const mostLiveOutput = 64 * 1024;

/** A call that has its cell and has not ended. */
export interface ShownCall {
  readonly entry: TranscriptEntry;
  item: TurnItem;
  output: string;
  context: CallStanding;
}

/** It has printed something. */
export function callPrinted(call: ShownCall, text: string): void {
  call.output = (call.output + text).slice(-mostLiveOutput);
  call.entry.cell = cellOf(withOutput(call.item, call.output), call.context);
}

/** Its end could not be recorded, and no event will come. */
export function callCutOff({ entry, item, output, context }: ShownCall): void {
  if (item.kind !== 'command') return;
  entry.cell = cellOf({ ...withOutput(item, output), status: 'failed', unfinished: 'interrupted' }, context);
}

export function withOutput<Item extends TurnItem>(item: Item, output: string): Item {
  return item.kind === 'command' && item.output === '' ? { ...item, output } : item;
}
