import { expect, it } from 'vitest';
import { answer, callTool, say, type RecordedRequest, type ScriptStep } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { runCodex } from './codex.ts';
import { runCapstan, scene } from './scene.ts';

function outputsIn({ body }: RecordedRequest): readonly string[] {
  const input = body['input'] as unknown as readonly JsonObject[];
  return input.flatMap(({ type, output }) => (type === 'function_call_output' ? [String(output)] : []));
}

/** The lines of both programs about a session, without those that differ by run or by program. */
function facts(output: string): readonly string[] {
  const lines = output.replaceAll('\r', '').split('\n');
  const wanted = /^(?:Process (?:exited|running)|Output:)/;
  const from = lines.indexOf('Output:');
  return [...lines.filter((line, at) => at < from && wanted.test(line)), ...lines.slice(from + 1)].map((line) =>
    line.replace(/session ID \d+/, 'session ID N'),
  );
}

/** A model that talks to a command over several calls. */
function talk(request: RecordedRequest): ScriptStep {
  const outputs = outputsIn(request);
  const id = Number(/session ID (\d+)/.exec(outputs[0] ?? '')?.[1]);
  const write = (chars: string): ScriptStep =>
    answer({ items: [callTool('write_stdin', { session_id: id, chars, yield_time_ms: 2000 })] });
  const cmd = 'stty -echo; echo ready; read -r x; echo "got $x"; read -r y; echo "then $y"; exit 3';
  const steps = [
    () => answer({ items: [callTool('exec_command', { cmd, tty: true, yield_time_ms: 1500 })] }),
    () => write('one\n'),
    () => write('two\n'),
    () => answer({ items: [say('Done.')] }),
  ];
  return steps[Math.min(outputs.length, steps.length - 1)]!();
}

it('a session that is written to says the same in both programs', async () => {
  const { model, place } = await scene(talk);
  const seen: (readonly (readonly string[])[])[] = [];
  for (const run of [runCapstan, runCodex]) {
    // The isolation of a terminal is not compared here.
    const ended = await run(place, '-s', 'danger-full-access', 'go');
    expect(ended.code, ended.stderr).toBe(0);
    seen.push(outputsIn(model.requests.at(-1)!).map(facts));
  }
  expect(seen[0]).toEqual([
    ['Process running with session ID N', 'ready', ''],
    ['Process running with session ID N', 'got one', ''],
    ['Process exited with code 3', 'then two', ''],
  ]);
  expect(seen[0]).toEqual(seen[1]);
});
