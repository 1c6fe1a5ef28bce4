import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { sandboxedCommand } from '../floor/sandboxed-command.ts';
import { plainEnvironment } from '../process/command.ts';
import type { Contender, ContenderId, Setting } from './contender.ts';

const program = join(import.meta.dirname, '../floor/floor.cjs');

/** A small Node script that posts Capstan's bytes and runs the command. */
export const floor: Contender = contender('floor', 'Floor', 'plain');

/** The floor with the command in Capstan's sandbox. */
export const floorSandboxed: Contender = contender('floor-sandboxed', 'Floor, sandboxed', 'sandboxed');

function contender(id: ContenderId, name: string, isolation: 'plain' | 'sandboxed'): Contender {
  return {
    id,
    name,
    call: { tool: 'exec_command', arguments: { cmd: 'true' } },
    // It ends with an error when its command does.
    succeeded: () => true,
    async prepare(setting) {
      const { place, modelUrl, firstBody } = setting;
      const plan = { url: modelUrl, firstBody, ...(await command(setting, isolation)) };
      place.write('plan.json', JSON.stringify(plan));
    },
    turn: ({ place }) => ({
      program: process.execPath,
      arguments: [program, join(place.home, 'plan.json')],
      env: plainEnvironment(place.osHome),
      cwd: place.workspace,
    }),
  };
}

async function command({ place }: Setting, isolation: 'plain' | 'sandboxed') {
  const plain = { argv: ['/bin/bash', '-c', 'true'], cwd: place.workspace, env: plainEnvironment(place.osHome) };
  if (isolation === 'plain') return plain;
  const planned = await sandboxedCommand(plain);
  if (planned === undefined) throw new Error('There is no sandbox here.');
  const { argv, cwd, env } = planned;
  const files = planned.files.map((bytes, at) => {
    const file = join(place.root, `file-${at}`);
    writeFileSync(file, bytes);
    return file;
  });
  return { argv, cwd, env, files };
}
