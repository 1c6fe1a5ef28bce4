import { describe, expect, test } from 'vitest';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { readRolloutHead } from './read-lines.ts';

const meta = (more: object = {}) =>
  JSON.stringify({ timestamp: 't', type: 'session_meta', payload: { id: 'x', ...more } });
const event = JSON.stringify({ timestamp: 't', type: 'event_msg', payload: { type: 'task_started' } });
const item = JSON.stringify({ timestamp: 't', type: 'response_item', payload: { type: 'message' } });

async function headOf(...parts: readonly (string | Uint8Array)[]): Promise<unknown> {
  const file = await new SimulatedDisk().open('/file', { create: true, mode: 0o600 });
  for (const part of parts) await file.append(typeof part === 'string' ? Buffer.from(part) : part);
  return readRolloutHead(file);
}

describe('the head of a rollout', () => {
  const found = { kind: 'meta', meta: { id: 'x' }, isFirst: true };

  test.each([
    ['is its first line', `${meta()}\n${meta({ id: 'copy' })}\n`, found],
    ['may lack its newline', meta(), found],
    [
      'stands behind blank lines, bad ones and events',
      `\n \nrubbish\n${event}\n${meta()}\n`,
      { ...found, isFirst: false },
    ],
    ['is missing when an item comes first', `${item}\n${meta()}\n`, { kind: 'other' }],
    ['is missing in a file of events', `${event}\n`, { kind: 'other' }],
    ['was never written', '', { kind: 'empty' }],
    ['was never written whole', meta().slice(0, 20), { kind: 'empty' }],
  ])('%s', async (_what, text, expected) => {
    expect(await headOf(text)).toEqual(expected);
  });

  test('is read whatever bytes follow', async () => {
    expect(await headOf(`${meta()}\n`, Uint8Array.of(0xff, 0xfe, 0x0a, 0xc3))).toEqual(found);
  });
});
