import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answer, Question } from '../../src/protocol/question.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const done = answer({ items: [say('Done.')] });
const runs = (cmd: string, more = {}) => answer({ items: [callTool('exec_command', { cmd, ...more })] });
const escalated = { sandbox_permissions: 'require_escalated', justification: 'May I?', prefix_rule: ['id', '-u'] };

test('rules that allow commands do not count for a model of which the administrator says so, and none is offered', async () => {
  const script = [runs('id -g'), runs('id -u', escalated), done, runs('id -g'), done];
  const live = await LiveThread.in(script, 'approval_policy = "on-request"\n');
  const [etc, rules] = [join(live.place.root, 'etc'), join(live.place.home, 'rules')];
  for (const folder of [etc, rules]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(etc, 'requirements.toml'), '[auto_review]\nignore_rules = ["gpt-5.5"]\n');
  writeFileSync(join(rules, 'my.rules'), 'prefix_rule(["id", "-g"])\n');
  const asked: Question[] = [];
  const ask = (question: Question): Promise<Answer> => {
    asked.push(question);
    return Promise.resolve({ kind: 'allowed', scope: 'rule' });
  };
  await live.open({ systemFolders: [etc] }, { askUser: { ask } });
  await live.turn('one');
  const sent = JSON.stringify(live.model.requests[0]!.body);
  for (const words of ['\\"id\\"', 'prefix_rule']) expect(sent).not.toContain(words);
  expect(asked).toMatchObject([{ kind: 'command', scopes: ['call', 'session'] }]);
  await live.thread.overrideTurnContext({ model: 'gpt-5.4' });
  await live.turn('two');
  const started = live.events.filter((event) => event.kind === 'item-started' && event.item.kind === 'command');
  expect(started.map((event) => 'outside' in event && event.outside)).toEqual([false, true, true]);
});
