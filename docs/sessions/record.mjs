// Records the terminal sessions that docs/sessions.md shows: node docs/sessions/record.mjs [NAME …]
// Needs tmux and a built dist/ (npm run build). Each session runs at 80 and at 120 columns, with and without colour.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startScriptedModel } from '../../src/testing/index.ts';
import { scenarios } from './scenarios.mjs';
import { screenToSvg } from './screen-to-svg.mjs';
import { Terminal } from './terminal.mjs';

const here = import.meta.dirname;
const program = join(here, '../../dist/bin.cjs');
/** Where `npm start` unpacks bubblewrap: with it on the PATH the pictures have no warning of one machine. */
const unpacked = join(here, '../../.local/bubblewrap/usr/bin');
const wanted = process.argv.slice(2);
const variants = [80, 120].flatMap((width) => ['color', 'plain'].map((look) => ({ width, look })));

for (const scenario of scenarios.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const ends = await Promise.allSettled(variants.map((variant) => record(scenario, variant)));
  // After the others have cleaned up behind them.
  for (const { reason } of ends) if (reason !== undefined) throw reason;
  console.error(scenario.name);
}
writeFileSync(join(here, '../sessions.md'), page());

async function record(scenario, { width, look }) {
  const model = await startScriptedModel(scenario.script, { usage: { input: 2400, cachedInput: 1800, output: 90 } });
  const place = makePlace(scenario, model.url);
  const env = {
    CAPSTAN_HOME: place.home,
    HOME: place.root,
    PATH: [place.programs, process.env['PATH'], unpacked].join(':'),
    PS1: '$ ',
    SHELL: '/bin/sh',
    ...(look === 'plain' ? { NO_COLOR: '1' } : {}),
  };
  for (const words of scenario.before ?? []) await capstan(words, place.project, env);
  const terminal = new Terminal({ socket: join(place.root, 'tmux'), width, folder: place.project, env });
  try {
    const frames = await scenario.play(terminal, { kill: () => killUnder(place.project) });
    const svg = screenToSvg(frames, { columns: width, title: scenario.title });
    writeFileSync(join(here, pictureName(scenario, width, look)), svg);
  } finally {
    terminal.close();
    await model.close();
    rmSync(place.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** A user's folders: a home that points at the scripted model, and a repository. */
function makePlace({ provider = {}, files }, modelUrl) {
  const root = mkdtempSync(join(tmpdir(), 'capstan-session-'));
  const [home, project, programs] = ['home', 'shop', 'bin'].map((name) => join(root, name));
  const settings = { name: 'scripted', base_url: modelUrl, wire_api: 'responses', ...provider };
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  write(
    join(home, 'config.toml'),
    `model = "gpt-5.5"\nmodel_provider = "example"\nsandbox_mode = "workspace-write"\nallow_login_shell = false\n\n[model_providers.example]\n${lines.join('\n')}\n`,
  );
  for (const [name, text] of Object.entries(files)) write(join(project, name), text);
  spawnSync('git', ['init', '--quiet'], { cwd: project });
  write(join(programs, 'capstan'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(join(programs, 'capstan'), 0o755);
  return { root, home, project, programs };
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

async function capstan(words, cwd, env) {
  const child = spawn('capstan', words, { cwd, env: { ...process.env, ...env }, stdio: 'ignore' });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`capstan ${words.join(' ')} ended with ${status}`);
}

/** Kills the Capstan that works in a folder, as the machine or the system would: without a warning. */
function killUnder(folder) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const isHere = readlinkSync(`/proc/${pid}/cwd`) === folder;
      if (isHere && command.includes(program) && command.includes('exec')) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}

function pictureName({ name }, width, look) {
  return `${name}-${width}${look === 'plain' ? '-plain' : ''}.svg`;
}

function page() {
  const sections = scenarios.map((scenario) => {
    const others = variants
      .filter(({ width, look }) => width !== 80 || look !== 'color')
      .map(({ width, look }) => {
        const label = `${width} columns${look === 'plain' ? ' without colour' : ''}`;
        return `[${label}](sessions/${pictureName(scenario, width, look)})`;
      });
    return [
      `## ${scenario.title}`,
      '',
      scenario.about,
      '',
      `![${scenario.title}](sessions/${pictureName(scenario, 80, 'color')})`,
      '',
      `Also at ${others.join(', ')}.`,
    ].join('\n');
  });
  return `# Sessions in a terminal

What \`capstan exec\` looks like. Capstan, the shell and the terminal are real; a scripted model answers. \`node docs/sessions/record.mjs\` records these pictures again (it needs tmux and \`npm run build\`).

${sections.join('\n\n')}
`;
}
