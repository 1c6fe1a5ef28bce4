import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { answer, callTool, hang, type RecordedRequest, say, type ScriptStep } from '../../../src/testing/index.ts';
import { textsOf } from '../../harness/scene.ts';
import { tuiScene } from '../tui-scene.ts';

const config = 'approval_policy = "on-request"\n[features]\nmulti_agent = true';
const escalated = { cmd: 'echo out', sandbox_permissions: 'require_escalated', justification: 'Must.' };

/** The root starts `brew`, which asks, and `steep`, which never ends, and then answers. */
function speak(): (request: RecordedRequest) => ScriptStep {
  const counts = new Map<string, number>();
  return ({ body }) => {
    const texts = textsOf(body['input'] as unknown as readonly JsonObject[]).map(String);
    const name = /^TASK (\w+)/.exec(texts.find((text) => text.startsWith('TASK ')) ?? '')?.[1] ?? 'root';
    const index = counts.get(name) ?? 0;
    counts.set(name, index + 1);
    if (name === 'steep') return hang({ afterBytes: 0, of: answer({ items: [say('never')] }) });
    if (name === 'brew')
      return index === 0
        ? answer({ items: [callTool('exec_command', escalated)] })
        : answer({ items: [say('Brewed it.')] });
    if (index === 1) return answer({ items: [callTool('wait_agent', { targets: ['/root/brew'], until: 'all' })] });
    if (index > 1) return answer({ items: [say('They work.')] });
    const spawn = (each: string) => callTool('spawn_agent', { name: each, message: `TASK ${each}: do it well` });
    return answer({ items: [spawn('brew'), spawn('steep')] });
  };
}

describe('/agents', () => {
  it('lists agents, shows what they do, and stops one; their questions come with their names', async () => {
    const { sees, say: tell, terminal } = await tuiScene(speak(), config);
    await sees('Context 100% left');
    tell('Go.');
    await sees('Agent /root/brew asks.');
    terminal.type('y');
    await sees('• They work.');
    tell('/agents');
    await sees(/1\. brew {2,}completed - [\d.]+K? tokens/);
    await sees(/2\. steep {2,}running - 0 tokens/);
    terminal.type('1');
    const rows = (await sees('• Brewed it.')).join('\n');
    expect(rows).toContain('Agent brew (1 of 2, completed)');
    expect(rows).toMatch(/› TASK brew: do it well[^]*echo out[^]*• Brewed it\./);
    terminal.type('\u001B[1;3C');
    await sees('Agent steep (2 of 2, running)');
    await sees('› TASK steep: do it well');
    terminal.type('s');
    await sees('The turn was interrupted.');
    terminal.type('q');
    await sees('2. steep');
    terminal.type('r');
    await sees(/2\. steep {2,}interrupted/);
    terminal.type('\u001B');
    await sees('Ask Capstan');
    // From an empty draft to the last agent, and behind the first one back.
    terminal.type('\u001B[1;3D');
    await sees('Agent steep (2 of 2, interrupted)');
    terminal.type('\u001B[1;3D');
    await sees('Agent brew (1 of 2');
    terminal.type('\u001B[1;3D');
    expect((await sees('Ask Capstan')).join('\n')).toContain('Stopped the agent steep.');
  });

  it('that run are in sight while the conversation is idle, and named to a user who leaves', async () => {
    const { sees, say: tell, terminal } = await tuiScene(speak(), config);
    await sees('Context 100% left');
    tell('Go.');
    await sees('Agent /root/brew asks.');
    terminal.type('y');
    await sees(/• They work\.[^]*1 agent runs, \/agents/);
    terminal.type('\u0004');
    expect((await sees('To continue:')).join('\n')).toMatch(/tokens used[^]*An agent was stopped at work: steep\.\n/);
  });

  it('a question about the patch of an agent shows the diff', async () => {
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+zwei\n*** End Patch';
    const patching = callTool('apply_patch', { input: patch });
    const told = speak();
    const isBrew = (request: RecordedRequest): boolean => JSON.stringify(request.body).includes('TASK brew');
    let asked = false;
    const {
      sees,
      say: tell,
      terminal,
      place,
    } = await tuiScene((request) => {
      if (asked || !isBrew(request) || JSON.stringify(request.body).includes('TASK steep')) return told(request);
      asked = true;
      return answer({ items: [patching] });
    }, config);
    writeFileSync(join(place.workspace, 'a.txt'), 'one\ntwo\n');
    await sees('Context 100% left');
    tell('/permissions');
    await sees('Read only');
    terminal.type('\u001B[B\r');
    await sees('Permissions: Read only.');
    tell('Go.');
    await sees('Agent /root/brew asks.');
    expect((await sees(/-\s*two\n.*\+\s*zwei/)).join('\n')).toContain('a.txt');
    terminal.type('n');
  });

  it('says that none were started, and how to switch them on', async () => {
    const { sees, say: tell } = await tuiScene([]);
    await sees('Context 100% left');
    tell('/subagents');
    expect((await sees('multi_agent')).join(' ')).toContain('cannot start agents');
  });
});
