import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say, type ScriptedModel } from '../../src/testing/index.ts';
import { sixtyTurns } from '../context/sixty-turns-script.ts';
import type { Finished, Place } from '../harness/run-capstan.ts';
import { firstWorld, type World } from '../harness/world.ts';
import { partsOf } from '../laws/world-reader.ts';
import { runCodex } from './codex.ts';
import { inputOf } from './items.ts';
import { runCapstan, scene, threadOf } from './scene.ts';

/** Models that both programs know, in the places of those of the script. Of one family: Codex rewrites history between two. */
const models: Readonly<Record<string, string>> = {
  'gpt-5.5': 'gpt-5.6-sol',
  planner: 'gpt-5.6-terra',
  blind: 'gpt-5.6-luna',
  doer: 'gpt-5.6-sol',
};

type Run = (place: Place, ...words: readonly string[]) => Promise<Finished>;
type InputOf = (model: ScriptedModel, request: number) => readonly unknown[];

interface Cost {
  readonly skills: number;
  readonly rest: number;
}

/**
 * The sixty turns as far as the commands have settings for them, each in a process of its own. A mode, spoken words, a
 * tool that arrives, a rewrite and midnight have none; approval has one, and neither asks the user, whatever it says.
 */
async function costs(run: Run, items: InputOf): Promise<readonly Cost[]> {
  const { model, place } = await scene(() => answer({ items: [say('Yes.')] }));
  mkdirSync(join(place.workspace, 'part'));
  mkdirSync(join(place.root, 'x'));
  let world = firstWorld;
  let id: string | undefined;
  for (const [index, turn] of sixtyTurns.entries()) {
    world = { ...world, ...turn.world, ...turn.midway };
    writeInstructions(place, world);
    const words = [...flags(place, world), ...(id === undefined ? [] : ['resume', id]), `Words ${index + 1}.`];
    const finished = await run(place, ...words);
    expect([finished.code, model.requests.length], finished.stderr).toEqual([0, index + 1]);
    id ??= threadOf(finished);
  }
  return sixtyTurns.map((_, index) => costOf(model, index, items));
}

/** Codex sends its tools as the first item and its base instructions as the first message: Capstan has fields for both. */
function withoutBase(model: ScriptedModel, request: number): readonly unknown[] {
  const [, ...history] = inputOf(model, request).filter(({ type }) => type !== 'additional_tools');
  return history;
}

function writeInstructions(place: Place, { instructions }: World): void {
  const path = join(place.workspace, 'AGENTS.md');
  if (instructions === undefined) rmSync(path, { force: true });
  else writeFileSync(path, instructions);
}

function flags(place: Place, { model, mode, cwd, approval, personality, effort, network }: World): readonly string[] {
  const folder = cwd.startsWith('/repo') ? join(place.workspace, cwd.slice('/repo'.length)) : join(place.root, cwd);
  const config = [
    `approval_policy="${approval}"`,
    `model_reasoning_effort="${effort}"`,
    `sandbox_workspace_write.network_access=${network}`,
    ...(personality === undefined ? [] : [`personality="${personality}"`]),
  ];
  return ['-m', models[model]!, '-s', mode, '-C', folder, ...config.flatMap((each) => ['-c', each])];
}

/** Bytes of text that a request holds, that the one before did not hold, and that was not said. */
function costOf(model: ScriptedModel, request: number, items: InputOf): Cost {
  const before = request === 0 ? 0 : items(model, request - 1).length;
  const cost = { skills: 0, rest: 0 };
  for (const { text } of partsOf(items(model, request).slice(before))) {
    if (text === `Words ${request + 1}.`) continue;
    cost[text.startsWith('<skills_instructions>') ? 'skills' : 'rest'] += Buffer.byteLength(text);
  }
  return cost;
}

it('what context costs over sixty turns, beside the released Codex', async () => {
  const ours = await costs(runCapstan, inputOf);
  const theirs = await costs(runCodex, withoutBase);

  const rows = sixtyTurns.flatMap(({ title }, index) => {
    const [own, other] = [ours[index]!, theirs[index]!];
    if (own.rest + other.rest + other.skills === 0) return [];
    return [row(index + 1, title, own.rest, other.rest, other.skills)];
  });
  const sum = (all: readonly Cost[], key: keyof Cost): number => all.reduce((total, cost) => total + cost[key], 0);
  const total = row('', 'all sixty turns', sum(ours, 'rest'), sum(theirs, 'rest'), sum(theirs, 'skills'));
  const head = ['| Turn | What is other | Capstan | Codex | Codex, list of skills |', '|--:|---|--:|--:|--:|'];
  process.stdout.write(`${[...head, ...rows, total].join('\n')}\n`);

  const quiet = sixtyTurns.flatMap(({ title }, index) => (title === 'nothing changes' ? [ours[index]!] : []));
  expect(quiet.filter(({ skills, rest }) => skills + rest > 0)).toEqual([]);
  expect(sum(ours, 'rest')).toBeLessThan(sum(theirs, 'rest'));
});

function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}
