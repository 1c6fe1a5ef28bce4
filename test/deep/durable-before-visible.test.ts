import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { answer, callTool, say, startScriptedModel } from '../../src/testing/index.ts';
import { Place } from '../harness/run-capstan.ts';
import { readTrace, type TracedCall } from './strace.ts';

const roundTrips = 20;
const places: Place[] = [];
afterEach(() => places.splice(0).forEach((place) => place.remove()));

/** Runs a turn of many commands under strace and gives back the calls of the process, in order. */
async function traceTurn(): Promise<{ readonly calls: readonly TracedCall[]; readonly place: Place }> {
  const commands = Array.from({ length: roundTrips }, (_, i) =>
    answer({ items: [callTool('exec_command', { cmd: `echo output-${i}` })] }),
  );
  const model = await startScriptedModel([...commands, answer({ items: [say('the-answer')] })]);
  const place = new Place(model.url);
  places.push(place);
  const trace = join(place.root, 'trace');
  const prefix = [
    'strace',
    '-f',
    '-qq',
    '-y',
    '-s',
    '1000000',
    '-e',
    'trace=write,writev,pwrite64,fsync,fdatasync',
    '-o',
    trace,
  ];
  const run = await place.start(['exec', '--json', 'the-prompt'], { prefix }).finished;
  await model.close();
  expect(run.code, run.stderr).toBe(0);
  expect(run.events.filter(({ type }) => type === 'item.completed')).toHaveLength(roundTrips + 1);
  return { calls: readTrace(readFileSync(trace, 'utf8')), place };
}

describe.skipIf(!hasStrace())('with strace', () => {
  it('a tool round trip costs at most three syncs', async () => {
    // A command that lasts has a sync of its own: on a busy machine more of them do. The best of a few counts.
    let best = Infinity;
    for (let attempt = 0; attempt < 4 && best > 3; attempt++)
      best = Math.min(best, syncsPerRoundTrip((await traceTurn()).calls));
    expect(best).toBeLessThanOrEqual(3);
  }, 240_000);

  function syncsPerRoundTrip(calls: readonly TracedCall[]): number {
    const syncs = calls.filter(({ kind }) => kind === 'sync');
    const starts = calls.flatMap(({ kind, text }, i) =>
      kind === 'stdout' && text.includes('item.started') ? [i] : [],
    );
    expect(starts).toHaveLength(roundTrips);
    const inLoop = calls.slice(starts[0], starts.at(-1)).filter(({ kind }) => kind === 'sync').length;
    console.log(`${syncs.length} syncs in all, ${(inLoop / (roundTrips - 1)).toFixed(2)} for each round trip`);
    return inLoop / (roundTrips - 1);
  }

  it('nothing is on standard output before its line is durable', async () => {
    const { calls } = await traceTurn();
    let [written, durable] = ['', ''];
    const early: string[] = [];
    for (const call of calls) {
      if (call.kind === 'rollout') written += call.text;
      if (call.kind === 'sync' && call.onRollout) durable = written;
      if (call.kind === 'stdout')
        early.push(...call.text.split('\n').filter((line) => line !== '' && !durable.includes(evidenceFor(line))));
    }
    expect(durable).toContain('task_complete');
    expect(early).toEqual([]);
  }, 60_000);
});

/** The part that must be in the synced bytes of the file before the event may be seen. */
function evidenceFor(line: string): string {
  const event = JSON.parse(line) as {
    type: string;
    thread_id?: string;
    item?: { type: string; text?: string; command?: string; aggregated_output?: string };
  };
  switch (event.type) {
    case 'thread.started':
      return `"type":"session_meta","payload":{"id":"${event.thread_id}"`;
    case 'turn.started':
      return '"type":"task_started"';
    case 'turn.completed':
      return '"type":"task_complete"';
    case 'item.started':
      return `"arguments":${JSON.stringify(JSON.stringify({ cmd: /echo output-\d+/.exec(event.item?.command ?? '')?.[0] }))}`;
    case 'item.completed':
      return event.item?.type === 'agent_message'
        ? `"text":"${event.item.text}"`
        : `Output:\\n${event.item?.aggregated_output?.trim()}\\n"`;
    default:
      throw new Error(`an event without evidence: ${line}`);
  }
}

function hasStrace(): boolean {
  if (existsSync('/usr/bin/strace')) return true;
  try {
    execFileSync('apt-get', ['install', '-y', 'strace'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('strace is not installed: syncs are not counted');
    return false;
  }
}
