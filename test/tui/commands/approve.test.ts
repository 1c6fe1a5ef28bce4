import { describe, expect, it } from 'vitest';
import { answer, callTool, type RecordedRequest, say, type ScriptStep } from '../../../src/testing/index.ts';
import { isOfReview, verdict } from '../../harness/review-scene.ts';
import { tuiScene } from '../tui-scene.ts';

const asking = { cmd: 'echo out', sandbox_permissions: 'require_escalated', justification: 'They said so.' };

/** The model asks for the same command in two turns; the reviewer refuses it until the user has allowed it. */
function speak(): (request: RecordedRequest) => ScriptStep {
  let steps = 0;
  return (request) => {
    if (!isOfReview(request)) {
      steps += 1;
      return answer({ items: [steps % 2 === 1 ? callTool('exec_command', asking) : say(`Turn ${steps / 2}.`)] });
    }
    const isAllowed = JSON.stringify(request.body).includes('I allow you to do it once');
    const outcome = isAllowed ? 'allow' : 'deny';
    return verdict({
      outcome,
      risk_level: 'high',
      user_authorization: isAllowed ? 'high' : 'unknown',
      rationale: 'So.',
    });
  };
}

describe('/approve', () => {
  it('says that the user allows what a reviewer refused, which /permissions lets answer', async () => {
    const { sees, say: tell, terminal, model } = await tuiScene(speak());
    await sees('Context 100% left');
    tell('/approve');
    await sees('No reviewer has refused anything in this conversation.');
    tell('/permissions reviewed');
    await sees('Permissions: Reviewed.');
    tell('Go.');
    await sees('• Turn 1.');
    await sees(/ Reviewed$/m);
    tell('/approve');
    await sees(/1\. run echo out/);
    terminal.type('1');
    const rows = (await sees('• Turn 2.')).join('\n');
    expect(rows).toMatch(/I allow you to do it once: run\s+echo out\. Try it again as it was/);
    expect(rows).toMatch(/Ran \[outside the sandbox\] echo out/);
    const said = model.requests.map(({ body }) => JSON.stringify(body)).join('\n');
    expect(said).not.toMatch(/once: [^"]*They said so/);
    tell('/approve');
    await sees(/Turn 2\.[^]*No reviewer has refused anything/);
    tell('/permissions nonsense');
    await sees(/There are no permissions nonsense\. Use one of Ask, Read only, Full access,\s+Reviewed/);
    await sees('› /permissions nonsense');
  });
});
