import { formatTomlString } from '../../../../core/config/toml/toml-key.ts';
import type { Engine } from '../../../../engine/engine.ts';
import type { Logins, SignedIn } from '../../../../engine/home/logins.ts';
import type { LocalServerFound } from '../../../../engine/models/local-servers.ts';
import { type Outcome, outcomeText } from '../../../../protocol/outcome.ts';
import type { EngineChoices } from '../../../views/command-line/load-engine.ts';
import { signedInWords } from '../../../views/wording/settings-text.ts';
import type { TuiSession } from '../../session/session.ts';
import type { StartupQuestionDesk, StartupQuestionExit } from './startup-question-desk.ts';
import type { StartupChoice } from './startup-question-views.ts';
import type { StartupQuestionParts } from './startup-questions.ts';

/** A local server answers at once unless the machine is busy, so this delays only starts with a hanging one. */
const patienceMs = 3000;
type FirstRunParts = Pick<StartupQuestionParts, 'desk' | 'lend' | 'notice'> & { readonly engine: Engine };
/** `choices`: the engine has a model with these. `ready`: it already has one, or the user wants none. */
type FirstRun = 'ready' | 'left' | { readonly choices: Partial<EngineChoices> };
/** The list is shown again, with the problem if there is one. */
type Again = { readonly problem?: string };
type Way = SignInWay | LocalServerFound | 'demo' | 'without';

/** Asks a user without a model how to get one. Every answer leads to the conversation. */
export async function askForModel(parts: FirstRunParts): Promise<FirstRun> {
  const { desk, engine } = parts;
  const servers = await engine.user.localServers(patienceMs);
  const ways: readonly Way[] = ['key', 'browser', 'device', ...servers, 'demo', 'without'];
  let problem: string | undefined;
  for (;;) {
    const chosen = await desk.ask({
      title: 'No model is set up yet. Choose how Capstan gets one.',
      text: [
        `Variables count too: export OPENAI_API_KEY=…  For other providers, set model and model_provider in ${engine.home}/config.toml (docs/providers.md).`,
      ],
      problem,
      choices: ways.map(choiceOf),
    });
    if (chosen === 'left') return 'left';
    const way = chosen === 'back' ? 'without' : ways[chosen]!;
    if (way === 'without') {
      parts.notice('No model is set up: a message gets no answer yet. `capstan login` or the next start sets one up.');
      return 'ready';
    }
    const done = await take(parts, way);
    if (typeof done === 'string' || 'choices' in done) return done;
    ({ problem } = done);
  }
}

async function take(parts: FirstRunParts, way: Exclude<Way, 'without'>): Promise<FirstRun | Again> {
  const { desk, engine, lend, notice } = parts;
  if (way === 'demo') {
    const { run } = await import('../../../demo/run-demo.ts');
    await desk.aside(() => lend(() => run({ options: { keep: false } } as Parameters<typeof run>[0])));
    return {};
  }
  if (typeof way === 'object') return chooseLocal(parts, way);
  const signed = await signIn(desk, await engine.user.logins(), way);
  if (signed === 'left') return 'left';
  if (signed === 'back') return {};
  if ('code' in signed) return { problem: outcomeText(signed) };
  notice(signedInWords(signed, { isKey: way === 'key' }));
  return 'ready';
}

async function chooseLocal(
  { desk, engine, notice }: FirstRunParts,
  { id, name, models }: LocalServerFound,
): Promise<FirstRun | Again> {
  if (models.length === 0) return { problem: `${name} has no models yet. Get one there, then choose ${name} again.` };
  const chosen = await desk.ask({ title: `Models of ${name}`, choices: models.map((label) => ({ label })) });
  if (typeof chosen === 'string') return chosen === 'left' ? 'left' : {};
  const model = models[chosen]!;
  let problem: string | undefined;
  for (;;) {
    const kept = await desk.ask({
      title: `Use ${model} of ${name}`,
      problem,
      choices: [
        { label: 'For this conversation' },
        { label: 'From now on', about: `saved in ${engine.home}/config.toml` },
      ],
    });
    if (typeof kept === 'string') return kept === 'left' ? 'left' : {};
    const failed = kept === 1 ? await engine.config.saveModel({ provider: id, model }) : undefined;
    problem = failed && outcomeText(failed);
    if (failed !== undefined) continue;
    if (kept === 1) notice(`New conversations use ${model} of ${name}.`);
    return { choices: { model, override: [`model_provider=${formatTomlString(id)}`] } };
  }
}

const fixedChoices: Readonly<Record<Exclude<Way, LocalServerFound>, StartupChoice>> = {
  key: { label: 'Paste an OpenAI API key', about: 'it is not shown, and kept with your login' },
  browser: { label: 'Sign in with ChatGPT', about: 'in the browser of this machine' },
  device: { label: 'Sign in with ChatGPT by a code', about: 'in a browser of any device' },
  demo: { label: 'Watch the demo', about: 'a script plays the model: no key, no network' },
  without: { label: 'Go on without a model' },
};

function choiceOf(way: Way): StartupChoice {
  if (typeof way === 'string') return fixedChoices[way];
  const count = way.models.length;
  return { label: way.name, about: `${count} ${count === 1 ? 'model' : 'models'} at ${way.address}` };
}

export type SignInWay = 'key' | 'browser' | 'device';

export async function signIn(
  desk: StartupQuestionDesk,
  logins: Logins,
  way: SignInWay,
): Promise<SignedIn | Outcome | StartupQuestionExit> {
  if (way === 'key') return withKey(desk, logins);
  return desk.during<SignedIn | Outcome>((signal, showGate) => {
    const show = (title: string, ...text: readonly string[]): void =>
      showGate({ title, text, choices: [{ label: 'Go back' }] });
    if (way === 'device') {
      return logins.withDeviceCode({ signal }, (page, code) =>
        show(
          `Open ${page} on any device, sign in, and type the code ${code}`,
          'The code expires in 15 minutes. Continue only if you started this sign-in yourself: if a website or a person gave you the code, stop.',
        ),
      );
    }
    return logins.withBrowser({ signal }, (page, opened) => {
      if (!opened) return show('Open this page in a browser of this machine', page);
      show('Sign in on the page that your browser shows', 'If it shows none, open this page on this machine:', page);
    });
  });
}

/** Repeats the question until the text is a key or the user goes back. */
async function withKey(desk: StartupQuestionDesk, logins: Logins): Promise<SignedIn | Outcome | StartupQuestionExit> {
  let problem: string | undefined;
  for (;;) {
    const given = await desk.askSecret({ title: 'Your OpenAI API key', problem });
    if (typeof given === 'string') return given;
    const kept = await logins.withKey(given.secret);
    if (!('code' in kept) || kept.code !== 'login-unfit') return kept;
    problem = 'This cannot be a key: it has spaces or characters that no key has.';
  }
}

export async function logout(session: TuiSession): Promise<void> {
  const logins = await session.parts.engine.user.logins();
  const was = await logins.signOut();
  if (typeof was !== 'boolean') return session.noticeProblem(was);
  session.notice(
    was ? 'Signed out: the login is forgotten. To sign in again, use `capstan login`.' : 'You were not signed in.',
  );
  const { variables } = logins;
  if (variables.length > 0) session.notice(`${variables.join(', ')} still applies: unset it to use no key at all.`);
}
