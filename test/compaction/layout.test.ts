import { expect, test } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { checkpointText, isCompaction, saysCheckpoint } from './summariser.ts';

const { signal } = new AbortController();
const long = 'word '.repeat(4000);
const plan = callTool('update_plan', { plan: [{ step: 'read the grammar', status: 'in_progress' }] });

test('after a checkpoint by hand: the task, the records, the summary, then the world and the new words', async () => {
  let works = true;
  const live = await LiveThread.in((request) => {
    if (isCompaction(request)) return saysCheckpoint(checkpointText('Build the parser.', []));
    const items = works ? [plan] : [say(long)];
    works = false;
    return answer({ items });
  });
  await live.turn('Build the parser.');
  expect(await live.thread.compact({ signal })).toMatchObject({ kind: 'installed' });
  await live.turn('Go on.');
  const [task, records, summary, ...rest] = live.rows(live.model.requests.length - 1);
  expect(task![1]).toContain('<VERBATIM_REQUEST_START>\nBuild the parser.\n<VERBATIM_REQUEST_END>');
  expect(records![1]).toContain('Plan, from turn 1:\n- [in progress] read the grammar');
  expect(summary![1]).toMatch(
    /^<checkpoint_summary>[^]+Half of it is done\.\nRESUME_AT: the second half\n<\/checkpoint_summary>$/,
  );
  expect(rest.map(([role, text]) => [role, text!.split(/[\s>]/)[0]])).toEqual([
    ['developer', '<permissions'],
    ['user', '<environment_context'],
    ['user', 'Go'],
  ]);
});
