import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { answer, callTool, type RecordedRequest, say, type ScriptStep } from '../../../src/testing/index.ts';
import type { Place } from '../../harness/run-capstan.ts';
import { runCodex } from '../codex.ts';
import { runCapstan, scene } from '../scene.ts';

const program = join(import.meta.dirname, '../../mcp/scripted-server.ts');
const reads = { readOnlyHint: true, openWorldHint: false };
const words = (text: string) => ({ type: 'text', text });

/** The result of one call of each tool, in the order of the calls. */
const calls: Readonly<Record<string, { readonly annotations?: object; readonly todo?: object }>> = {
  echo: { annotations: reads },
  two: { annotations: reads, todo: { result: { content: [words('one'), words('two')] } } },
  'get-it': { annotations: reads },
  wrong: { annotations: reads, todo: { result: { content: [words('no luck')], isError: true } } },
  broken: { annotations: reads, todo: { error: { code: -32000, message: 'out of order' } } },
  structured: {
    annotations: reads,
    todo: { result: { content: [words('{"a":1}')], structuredContent: { a: 1 } } },
  },
  more: {
    annotations: reads,
    todo: { result: { content: [words('see below')], structuredContent: { a: 1 } } },
  },
  writes: {},
  destroys: { annotations: { readOnlyHint: true, destructiveHint: true } },
  closed: { annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false } },
};
const names = Object.keys(calls);

function outputsIn({ body }: RecordedRequest): readonly JsonObject[] {
  const input = body['input'] as unknown as readonly JsonObject[];
  return input.filter(({ type }) => type === 'function_call_output');
}

/** The lines of an output that the model reads, without those that differ by run. */
function linesOf({ output }: JsonObject): readonly string[] {
  const parts =
    typeof output === 'string'
      ? [output]
      : (output as unknown as readonly JsonObject[]).map(({ text }) => String(text));
  return parts.flatMap((part) => part.split('\n')).map((line) => line.replace(/^Wall time: .*/, 'Wall time'));
}

/** A model that calls every tool once, by the name that each program gives it. */
function script(request: RecordedRequest): ScriptStep {
  const { tools = [] } = request.body as unknown as { readonly tools?: readonly JsonObject[] };
  const isCapstan = tools.some(({ name }) => name === 'call_tool');
  const tool = names[outputsIn(request).length];
  if (tool === undefined) return answer({ items: [say('Done.')] });
  const plain = tool.replace('-', '_');
  const call = callTool(isCapstan ? `mcp__s__${plain}` : plain, { words: tool });
  return answer({ items: [isCapstan ? call : { ...call, namespace: 'mcp__s' }] });
}

function configure(place: Place) {
  const [planFile, logFile] = [join(place.root, 'plan.json'), join(place.root, 'server.log')];
  const tools = names.map((name) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: { words: { type: 'string' } } },
    ...(calls[name]?.annotations && { annotations: calls[name].annotations }),
  }));
  const todo = Object.fromEntries(names.map((name) => [name, calls[name]?.todo ?? {}]));
  writeFileSync(planFile, JSON.stringify({ tools, calls: todo }));
  const table = `\n[mcp_servers.s]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([program, planFile, logFile])}\n`;
  appendFileSync(join(place.home, 'config.toml'), table);
  /** The calls that reached the server since this was asked last. */
  return (): readonly unknown[] => {
    if (!existsSync(logFile)) return [];
    const lines = readFileSync(logFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
    rmSync(logFile);
    return lines.flatMap(({ got, params }) =>
      got === 'tools/call' ? [[Object(params).name, Object(params).arguments]] : [],
    );
  };
}

const same = ['echo', 'two', 'get-it', 'structured', 'closed'];
/** Those of which the server does not say that they are harmless. */
const asked = ['writes', 'destroys'];

test.each(['workspace-write', 'danger-full-access'])('the same calls have the same effects under %s', async (mode) => {
  const { model, place } = await scene(script);
  const called = configure(place);
  const [ours, theirs] = await inTurn([runCapstan, runCodex], async (run) => {
    const ended = await run(place, '-s', mode, 'go');
    expect(ended.code, ended.stderr).toBe(0);
    const outputs = outputsIn(model.requests.at(-1)!);
    const told = Object.fromEntries(names.map((name, at) => [name, linesOf(outputs[at]!)]));
    return { called: called(), told };
  });
  const runs = names.filter((name) => mode !== 'workspace-write' || !asked.includes(name));
  expect(ours!.called).toEqual(runs.map((name) => [name, { words: name }]));
  expect(theirs!.called).toEqual(ours!.called);
  for (const name of [...same, ...asked.filter((each) => runs.includes(each))]) {
    expect(theirs!.told[name], name).toEqual(ours!.told[name]);
  }

  // Deliberate differences.
  expect(ours!.told['wrong']).toEqual(['Wall time', 'The tool reports an error.', 'Output:', 'no luck']);
  expect(theirs!.told['wrong']).toEqual(['Wall time', 'Output:', 'no luck']);
  expect(ours!.told['broken']).toEqual([
    'Wall time',
    'The call failed: the server answered with an error -32000: "out of order"',
  ]);
  expect(theirs!.told['broken']).toContain('    Mcp error: -32000: out of order');
  expect(ours!.told['more']).toEqual(['Wall time', 'Output:', 'see below', '{"a":1}']);
  expect(theirs!.told['more']).toEqual(['Wall time', 'Output:', '{"a":1}']);
  for (const name of asked.filter((each) => !runs.includes(each))) {
    expect(ours!.told[name]).toEqual([
      expect.stringMatching(/^Not run: .* needs an approval, and the approval policy is never/),
    ]);
    expect(theirs!.told[name]).toContain('MCP tool call requires approval, but approval policy is never');
  }
});

async function inTurn<Given, Made>(
  all: readonly Given[],
  make: (given: Given) => Promise<Made>,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (const each of all) made.push(await make(each));
  return made;
}
