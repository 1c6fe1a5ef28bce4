import type { Outcome } from '../../../../protocol/outcome.ts';
import type { Engine } from '../../../../engine/engine.ts';
import { type EngineChoices, loadEngine } from '../../../views/command-line/load-engine.ts';
import type { Look } from '../../screen/text/look.ts';
import type { StartupQuestionDesk } from './startup-question-desk.ts';

export interface StartupQuestionParts {
  readonly desk: StartupQuestionDesk;
  notice(text: string): void;
  lend(work: () => Promise<unknown>): Promise<void>;
  showRows(title: string, rows: (look: Look) => readonly string[]): Promise<void>;
}

/**
 * Loads the engine and asks what must be decided before a conversation: the configuration, a model, trust in the
 * folder, hooks, and a fallback if no sandbox can be built. Each is asked once; the engine returned here knows the
 * decisions. `left`: the user gave up.
 */
export async function askStartupQuestions(
  { cwd, choices }: { readonly cwd: string; readonly choices: EngineChoices },
  parts: StartupQuestionParts,
): Promise<Engine | Outcome | 'left'> {
  const { desk } = parts;
  const asked = { model: false, trust: false, hooks: false, sandbox: false };
  let chosen = choices;
  for (;;) {
    const engine = await loadEngine(chosen, cwd, 'cli');
    if (engine.kind === 'refused') {
      if (!engine.outcome.code.startsWith('config-') || chosen.ignoreUserConfig) return engine.outcome;
      const { askAboutConfig } = await import('./trust-questions.ts');
      const does = await askAboutConfig(desk, engine.outcome);
      if (does === 'left') return 'left';
      if (does === 'without') chosen = { ...chosen, ignoreUserConfig: true };
      continue;
    }
    const next = await askNext(engine);
    if (next === 'pass') {
      if (await engine.commandsRefused(cwd)) parts.notice(refusedCommands(await engine.offersLandlock(cwd)));
      return engine;
    }
    await engine.close();
    if (next === 'left') return 'left';
    chosen = { ...chosen, ...next, override: [...chosen.override, ...(next.override ?? [])] };
  }

  /** `pass`: nothing is left to ask. Choices: the caller must load the engine again with them. */
  async function askNext(engine: Engine): Promise<'pass' | 'left' | Partial<EngineChoices>> {
    // Start now: the answer takes a process, which runs while files are read. The first command needs it anyway.
    const offersLandlock = asked.sandbox ? undefined : engine.offersLandlock(cwd);
    if (!asked.model && !(await knowsModel(engine))) {
      asked.model = true;
      const { askForModel } = await import('./first-run.ts');
      const done = await askForModel({ ...parts, engine });
      if (done.kind === 'left') return 'left';
      if (done.kind === 'model') return done.choices;
    }
    if (!asked.trust && !chosen.ignoreUserConfig) {
      asked.trust = true;
      const about = await engine.trust.ofFolder(cwd);
      const { askForTrust, needsTrust } = await import('./trust-questions.ts');
      const done = needsTrust(about) ? await askForTrust(desk, engine, about) : 'open';
      if (done !== 'open') return done === 'left' ? 'left' : {};
    }
    if (!asked.hooks && !chosen.ignoreUserConfig) {
      asked.hooks = true;
      const idle = await engine.trust.idleHooks(cwd);
      const ask = async () => (await import('./trust-questions.ts')).askForHooks({ ...parts, engine }, idle);
      const done = idle.length === 0 ? 'open' : await ask();
      if (done !== 'open') return done === 'left' ? 'left' : {};
    }
    if (!asked.sandbox) {
      asked.sandbox = true;
      if (await offersLandlock) {
        const { askForLandlock } = await import('./trust-questions.ts');
        const done = await askForLandlock(desk, engine);
        if (done !== 'open') return done === 'left' ? 'left' : { sandboxFallback: 'landlock' };
      }
    }
    return 'pass';
  }
}

/** Kept short: the first refused command reports the rest. */
function refusedCommands(offersLandlock: boolean): string {
  const landlock = offersLandlock ? ' To run them under Landlock, start `capstan --sandbox-fallback landlock`.' : '';
  return `Commands cannot be sandboxed here, so Capstan refuses them. \`capstan sandbox -- true\` says why.${landlock}`;
}

/** A key or a login of OpenAI needs no configuration. */
async function knowsModel(engine: Engine): Promise<boolean> {
  if (engine.config.isSetUp) return true;
  const logins = await engine.user.logins();
  return logins.variables.length > 0 || (await logins.status()).kind !== 'none';
}
