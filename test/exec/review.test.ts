import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordedRequest, ScriptStep } from '../../src/testing/index.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { allow, deny, isOfReview, verdict } from '../harness/review-scene.ts';
import { scene } from '../harness/scene.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const escalated = (cmd: string) =>
  callTool('exec_command', { cmd, sandbox_permissions: 'require_escalated', justification: 'May I?' });
/** Temporary folders, in which the tests work, are not writable either. */
const closed = '[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n';
const listed = `default_permissions = "dev"
[permissions.dev]
extends = ":workspace"
[permissions.dev.network]
enabled = true
domains = { "listed.test" = "allow" }
`;
const done = answer({ items: [say('Done.')] });
const reviewed = ['-c', 'approvals_reviewer="auto_review"'];

/** A file beside the workspace, which the sandbox does not let commands write. */
function outside(place: Place): string {
  mkdirSync(join(place.root, 'outside'), { recursive: true });
  return join(place.root, 'outside', 'file');
}

/** A model that wants to write it, and whose reviews end with this. */
async function wanting(review: ScriptStep) {
  const made = await scene((request: RecordedRequest) => {
    if (isOfReview(request)) return review;
    return request.index === 0 ? answer({ items: [escalated(`touch ${outside(made.place)}`)] }) : done;
  }, closed);
  return made;
}

describe('exec with a reviewer', () => {
  it('runs outside the sandbox what the reviewer allows, and says who decided', async () => {
    const said = verdict({ outcome: 'allow', risk_level: 'medium', rationale: 'It makes one empty file.' });
    const { model, place } = await wanting(said);
    const { code, stderr } = await place.run('exec', ...reviewed, 'go');
    expect(code, stderr).toBe(0);
    expect(existsSync(outside(place))).toBe(true);
    const words = 'reviewer: allowed (risk medium, authorization unknown): It makes one empty file.';
    expect(stderr).toContain(words);
    expect(JSON.stringify(model.requests[0]!.body['input'])).toContain(
      'A reviewing model answers in place of the user',
    );
    const id = String(place.lines()[0]!.payload['id']);
    const { stdout } = await place.run('threads', 'show', id);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(words);
    const replay = await place.run('replay', id, '--json');
    expect(JSON.parse(replay.stdout)).toMatchObject({ counts: { same: 3, different: 0, not_recorded: 0 } });
  });

  it.skipIf(noNamespaces)('names each host that it decided about, on the screen and in the thread', async () => {
    const curl = (host: string) => `curl -sS -m 20 --noproxy '' -x http://127.0.0.1:3128 http://${host}/`;
    const cmd = `${curl('one.invalid')}; ${curl('two.invalid')}; true`;
    const { place } = await scene((request: RecordedRequest) => {
      if (isOfReview(request)) return deny;
      return request.index === 0 ? answer({ items: [callTool('exec_command', { cmd })] }) : done;
    }, listed);
    const { stderr } = await place.run('exec', '--approve-for-me', 'go');
    const { stdout } = await place.run('threads', 'show', String(place.lines()[0]!.payload['id']));
    for (const shown of [stderr, stdout]) {
      const found = [...shown.matchAll(/reviewer: declined (\S+) /g)].map(([, host]) => host);
      expect(found).toEqual(['one.invalid:80', 'two.invalid:80']);
    }
  });

  it('by one option, which stands for two settings and goes with none of those that contradict it', async () => {
    const { model, place } = await wanting(allow);
    const { code, stderr } = await place.run('exec', '--approve-for-me', '-s', 'workspace-write', 'go');
    expect(code, stderr).toBe(0);
    expect(existsSync(outside(place))).toBe(true);
    const sent = JSON.stringify(model.requests[0]!.body['input']);
    for (const words of ['Approval: on-request.', 'Sandbox: workspace-write.', 'A reviewing model answers']) {
      expect(sent).toContain(words);
    }
    for (const more of [['-a', 'never'], ['--approvals', 'ask'], ['--yolo']]) {
      const refused = await place.run('exec', '--approve-for-me', ...more, 'go');
      expect(refused.code, refused.stderr).toBe(2);
    }
  });

  it.skipIf(noNamespaces)('by that option under the configured profile, with what it denies', async () => {
    const cat = callTool('exec_command', { cmd: 'cat secret.txt' });
    const { model, place } = await scene(
      (request) => (request.index % 2 === 0 ? answer({ items: [cat] }) : done),
      'default_permissions = "dev"\n[permissions.dev]\nextends = ":workspace"\n' +
        '[permissions.dev.filesystem.":workspace_roots"]\n"secret.txt" = "deny"\n',
    );
    writeFileSync(join(place.workspace, 'secret.txt'), 'topsecret');
    for (const more of [[], ['--approve-for-me']]) {
      const from = model.requests.length;
      const { code, stderr } = await place.run('exec', ...more, 'go');
      expect(code, stderr).toBe(0);
      expect(stderr).toContain('profile dev');
      const sent = JSON.stringify(model.requests.slice(from));
      expect(sent).toContain('Permission denied');
      expect(sent).not.toContain('topsecret');
    }
  });

  it('keeps in the sandbox what the reviewer declines', async () => {
    const { place } = await wanting(deny);
    const { code, stderr } = await place.run('exec', ...reviewed, 'go');
    expect(code, stderr).toBe(0);
    expect(existsSync(outside(place))).toBe(false);
    expect(stderr).toContain('reviewer: declined (risk high, authorization unknown): Not asked for.');
  });

  it('says in JSON who decided', async () => {
    const { place } = await wanting(allow);
    const { events } = await place.run('exec', '--json', ...reviewed, 'go');
    expect(events.find(({ type }) => type === 'question.answered')).toMatchObject({
      decision: 'approved',
      by: 'review',
      verdict: { risk: 'low', authorization: 'unknown' },
    });
  });

  it('shows the reviewer nothing of the home, the configuration or the environment', async () => {
    const { model, place } = await wanting(allow);
    writeFileSync(join(place.home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: 'sk-of-the-home' }));
    const env = { MY_TOKEN: 'token-of-the-environment' };
    const policy = ['-c', 'developer_instructions="words-of-the-configuration"'];
    const { code } = await place.runWith({ env }, 'exec', ...reviewed, ...policy, 'go');
    expect(code).toBe(0);
    const [review] = model.requests.filter(isOfReview);
    expect(review!.decodedBytes.toString()).not.toMatch(/sk-of-the-home|of-the-environment|of-the-configuration/);
  });

  it('asks no one under the policy never', async () => {
    const { model, place } = await wanting(allow);
    await place.run('exec', ...reviewed, '-a', 'never', 'go');
    expect(existsSync(outside(place))).toBe(false);
    expect(model.requests.filter(isOfReview)).toEqual([]);
  });
});
