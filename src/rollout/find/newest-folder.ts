import type { OpenFile } from '../../ports/files.ts';
import { objectAt, stringAt } from '../../protocol/json.ts';
import { lineType } from '../../protocol/line.ts';
import type { Wanted } from '../../ports/rollout-store.ts';
import { fileWindow } from '../disk/file-window.ts';
import { readBack } from '../lines/read.ts';

/** A turn says where it works before it does anything. After one that wrote more than this, the first line counts. */
const mostRead = 4 * 1024 * 1024;

const saysFolder: Wanted = ({ type, payloadType }) =>
  type === lineType.turnContext || (type === lineType.event && payloadType === 'thread_settings_applied');

/** Where the thread works since its last turn or setting, if the end of its file says so. */
export async function newestFolder(file: OpenFile): Promise<string | undefined> {
  const size = await file.size();
  const end = fileWindow(file, Math.max(0, size - mostRead), size);
  for await (const { type, payload } of readBack(end, saysFolder)) {
    const cwd = stringAt(type === lineType.turnContext ? payload : (objectAt(payload, 'thread_settings') ?? {}), 'cwd');
    if (cwd?.startsWith('/') === true) return cwd;
  }
  return undefined;
}
