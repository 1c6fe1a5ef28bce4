import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { answer, type ScriptStep, say } from '../../../src/testing/index.ts';
import { checkpointText, isCompaction } from '../../compaction/summariser.ts';
import { scene } from '../../harness/scene.ts';
import { darkColours, lightColours } from '../../harness/screen-colours.ts';
import { screenPicture } from '../../harness/screen-picture.ts';
import { whenTestEnds } from '../../harness/when-test-ends.ts';
import { openIn, type TuiScene } from '../../tui/tui-scene.ts';

export interface DrawnPicture {
  /** The name of its file. */
  readonly name: string;
  readonly title: string;
  /** One sentence for those who look at it, and for those who cannot. */
  readonly about: string;
  readonly columns?: number;
  readonly rows?: number;
  /** The answers of the model, in order. Requests for a checkpoint get one. */
  readonly steps: readonly ScriptStep[];
  readonly isFull?: true;
  /** The terminal reports a light background. */
  readonly isLight?: true;
  /** A user who has set up nothing. */
  readonly isFirst?: true;
  play(drawn: DrawnScene): Promise<void>;
}

export interface DrawnScene extends TuiScene {
  /** Presses keys one by one, each when nothing moves any more. */
  press(...keys: readonly string[]): Promise<void>;
  /** Says something, and waits for the end of the turn. */
  turn(words: string): Promise<void>;
}

/** The home of the user, and the text for it in the pictures: as long, so that text behind it keeps its place. */
const root = '/tmp/screen';
const shownHome = '/home/clara';
const abandonedMs = 120_000;
/** So long the model thinks about each answer. */
const thinkingMs = 4000;
const usage = { input: 2400, cachedInput: 1800, output: 90 };

const settings = `model = "gpt-5.5"
sandbox_mode = "workspace-write"
approval_policy = "on-request"
allow_login_shell = false
`;

const files: Readonly<Record<string, string>> = {
  'AGENTS.md': '# Shop\n\nRun `node check.mjs` after every change.\n',
  'src/slug.mjs': `/** A title as a part of an address. */
export function slug(title) {
  return title.toLowerCase().replace(' ', '-');
}
`,
  'check.mjs': `import { slug } from './src/slug.mjs';

const found = slug('A Tale of Two Cities');
console.log(found === 'a-tale-of-two-cities' ? 'ok' : 'expected a-tale-of-two-cities, found ' + found);
process.exitCode = found === 'a-tale-of-two-cities' ? 0 : 1;
`,
};

/** Plays a scene on a terminal in memory and draws what stands there at its end: the same with every run. */
export async function drawScene(picture: DrawnPicture, minute: number): Promise<string> {
  await takeRoot();
  whenTestEnds(() => void vi.restoreAllMocks());
  // By the hour, the ids of a scene differ from those of the others.
  let now = Date.UTC(2026, 0, 6, 9, minute);
  vi.spyOn(Date, 'now').mockImplementation(() => now);
  leaveNothingToChance();
  const left = [...picture.steps];
  const built = await scene(
    (request) => {
      now += thinkingMs;
      if (isCompaction(request)) {
        const kept = checkpointText('The check fails. Fix it.', ['What is left?'], 'slug() replaces all blanks now.');
        return answer({ items: [say(kept)] });
      }
      const next = left.shift();
      if (next === undefined) throw new Error(`${picture.name}: the model was asked too often.`);
      return next;
    },
    '',
    { usage, names: { root, home: '.capstan', workspace: 'shop' } },
  );
  const { workspace: project } = built.place;
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  const config = join(built.place.home, 'config.toml');
  if (picture.isFirst === true) rmSync(config);
  else writeFileSync(config, `openai_base_url = "${built.model.url}"\n${settings}`);
  const set = { HOME: root, FORCE_COLOR: '3', TERM: 'xterm-256color', TZ: 'UTC', SHELL: '/bin/sh' };
  if (picture.isFirst !== true) vi.stubEnv('OPENAI_API_KEY', 'sk-scripted');
  // No server of a model is looked for on this machine.
  for (const [name, value] of Object.entries({ ...set, CODEX_OSS_PORT: '9' })) vi.stubEnv(name, value);
  const { columns = 90, rows = 30 } = picture;
  const opened = await openIn(
    built,
    { kind: 'new' },
    columns,
    { isFull: picture.isFull === true },
    { rows, before: '$ capstan\r\n' },
  );
  const { terminal, sees, say: tell } = opened;
  terminal.type(`\u001B]11;rgb:${picture.isLight === true ? 'ffff/ffff/ffff' : '0000/0000/0000'}\u0007`);
  const still = async (): Promise<void> => {
    let length = -1;
    let unchanged = 0;
    await vi.waitUntil(
      () => {
        unchanged = terminal.written.length === length ? unchanged + 1 : 0;
        ({ length } = terminal.written);
        return unchanged >= 12;
      },
      { timeout: 20_000, interval: 25 },
    );
  };
  await picture.play({
    ...opened,
    async press(...keys) {
      for (const key of keys) {
        terminal.type(key);
        await still();
      }
    },
    async turn(words) {
      const ends = (await terminal.all()).filter((row) => row.includes('Worked for')).length;
      tell(words);
      await sees(new RegExp(`(?:Worked for[^]*){${ends + 1}}`));
      await still();
    },
  });
  await still();
  const { title, about } = picture;
  const colours = picture.isLight === true ? lightColours : darkColours;
  const drawn = screenPicture(await terminal.settled(), { title, about, hasCursor: terminal.hasCursor, colours });
  return drawn.replaceAll(root, shownHome);
}

/** One run at a time has the folder: a path is counted in the tokens that the pictures show, so it is always the same. */
async function takeRoot(): Promise<void> {
  await vi.waitUntil(
    () => {
      try {
        mkdirSync(root);
        return true;
      } catch {
        // A run that was killed has left it behind.
        const made = statSync(root, { throwIfNoEntry: false })?.ctimeMs ?? Infinity;
        if (Date.now() - made > abandonedMs) rmSync(root, { recursive: true, force: true });
        return false;
      }
    },
    { timeout: 2 * abandonedMs, interval: 200 },
  );
}

/** Ids are counted in tokens, too: they come from the clock alone. */
function leaveNothingToChance(): void {
  const fs = process.getBuiltinModule('node:fs');
  const { openSync } = fs;
  vi.spyOn(fs, 'openSync').mockImplementation((path, ...rest) =>
    openSync(path === '/dev/urandom' ? '/dev/zero' : path, ...rest),
  );
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
}
