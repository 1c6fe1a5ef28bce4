import { sandboxLevelOf } from '../../policy/describe-policy.ts';
import { defined } from '../../protocol/defined.ts';
import { version } from '../../protocol/version.ts';
import type { LiveThread } from '../engine/live/live-thread.ts';
import { networkWords, policyWords } from '../wording/policy-words.ts';
import { settingWord } from '../wording/setting-word.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { shellWords } from '../../protocol/shell-words.ts';
import { allowsAsking, approvalName } from '../../policy/approval-policy.ts';
import { policyInForce } from '../wording/policy-in-force.ts';

/** What is said of a thread. */
export type AnnouncedThread = Pick<LiveThread, 'id' | 'settings' | 'profileName' | 'restored'>;

/** Says what is in force as soon as the thread is open and durable: the line names it, and a name must lead somewhere. */
export class Announcement {
  readonly #say: (text: string) => void;
  readonly #whisper: (text: string) => void;
  #opened: AnnouncedThread | undefined;
  #isDurable = false;
  readonly #isVerbose: boolean;
  #waiting: string[] = [];

  constructor(
    say: (text: string) => void,
    whisper: (text: string) => void,
    { verbose }: { readonly verbose: boolean },
  ) {
    this.#say = say;
    this.#whisper = whisper;
    this.#isVerbose = verbose;
  }

  /** The id of the thread, once it was shown. */
  get threadId(): string | undefined {
    return this.#isDurable ? this.#opened?.id : undefined;
  }

  opened(thread: AnnouncedThread): void {
    this.#opened = thread;
    this.#announce();
  }

  /** The thread's first lines are durable. */
  started(): void {
    this.#isDurable = true;
    this.#announce();
  }

  /** Says something about the run; after the announcement, if one is still to come. */
  notice(text: string): void {
    if (this.#opened === undefined || this.#isDurable) this.#say(text);
    else this.#waiting.push(text);
  }

  /** Nothing is announced any more: what waited for it is said. */
  end(): void {
    for (const text of this.#waiting.splice(0)) this.#say(text);
  }

  #announce(): void {
    if (this.#opened === undefined || !this.#isDurable) return;
    this.#whisper(startLines(this.#opened, this.#isVerbose));
    this.end();
  }
}

/** What is in force: one line of at most 100 columns, and a second one for what few runs have. */
function startLines({ id, settings, profileName, restored }: AnnouncedThread, verbose: boolean): string {
  const { model, provider, effort, approvals: approval, cwd } = settings;
  const resolved = policyInForce(settings);
  const policy = { mode: sandboxLevelOf(resolved), network: resolved.network, ...defined({ lists: resolved.lists }) };
  const asking = { asksAboutRules: allowsAsking(approval, 'rules') };
  const plans = settings.collaboration?.mode === 'plan' ? 'plan mode, ' : '';
  const mode = `${plans}${policyWords(policy, { profileName, ...asking })}`;
  const asked = [
    model,
    ...(effort === undefined ? [] : [effort]),
    ...(provider === 'openai' ? [] : [`via ${provider}`]),
  ];
  const first = [`capstan ${version}`, `thread ${id}`, asked.join(' '), mode];
  const second = [
    ...(!verbose || restored === undefined || restored.names.length === 0 ? [] : [restoredWords(restored)]),
    ...(verbose ? [`provider ${provider}`, networkWords(policy, asking), `approval ${approvalName(approval)}`] : []),
    ...(verbose || cwd !== process.cwd() ? [`in ${shellWords([cwd])}`] : []),
  ];
  return [first, second]
    .filter((parts) => parts.length > 0)
    .map((parts) => visibleLine(parts.join(' · ')))
    .join('\n');
}

/** What a resumed thread has from its own past. */
function restoredWords({ from, names }: NonNullable<LiveThread['restored']>): string {
  const where = from === 'settings' ? 'the last change of its settings' : 'its last turn';
  return `from ${where}: ${names.map((name) => settingWord(name)).join(', ')}`;
}
