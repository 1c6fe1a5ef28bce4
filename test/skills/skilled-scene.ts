import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

/** The text of a SKILL.md. */
export function skillText(name: string, description: string, body = `Do ${name}.`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
}

/** A thread of a user whose home folder is the test's own. */
export async function skilledScene(script: Script, { config = '' }: { readonly config?: string } = {}) {
  const live = await LiveThread.in(script, config);
  const { home, root, workspace } = live.place;
  const put = (path: string, text: string): string => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  return {
    live,
    put,
    /** A skill of the user. */
    skill: (name: string, description: string, body?: string): string =>
      put(join(home, 'skills', name, 'SKILL.md'), skillText(name, description, body)),
    /** A skill of the project. */
    projectSkill: (name: string, description: string): string =>
      put(join(workspace, '.agents/skills', name, 'SKILL.md'), skillText(name, description)),
    trust: (): void =>
      writeFileSync(join(home, 'config.toml'), `[projects."${workspace}"]\ntrust_level = "trusted"\n`, { flag: 'a' }),
    /** Opens the thread, as a new process would. */
    open: () => live.open({ osHome: root }),
    /** The texts about skills that a request adds. */
    told: (request: number): readonly string[] =>
      live
        .added(request)
        .flat()
        .filter((text) => /^<skills?_?/.test(text)),
    warnings: (): readonly string[] => live.told('warning').map(({ outcome }) => outcome.code),
  };
}
