import { describePolicy } from '../../policy/describe-policy.ts';
import { resolvePolicy } from '../../policy/resolve-policy.ts';
import { version } from '../../protocol/version.ts';
import type { OpenedThread } from '../engine/open-thread.ts';
import { settingWord } from '../wording/setting-word.ts';
import { printNote } from '../terminal/print.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { noOwnPlaces } from '../../policy/own-places.ts';
import { shellWords } from '../../protocol/shell-words.ts';

/** Says what is in force as soon as the thread is open and durable: the line names it, and a name must lead somewhere. */
export class Announcement {
  readonly #whisper: (text: string) => void;
  #opened: OpenedThread | undefined;
  #isDurable = false;
  #waiting: string[] = [];

  constructor(whisper: (text: string) => void) {
    this.#whisper = whisper;
  }

  /** The id of the thread, once it was shown. */
  get threadId(): string | undefined {
    return this.#isDurable ? this.#opened?.thread.id : undefined;
  }

  opened(thread: OpenedThread): void {
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
    if (this.#opened === undefined || this.#isDurable) printNote(text);
    else this.#waiting.push(text);
  }

  /** Nothing is announced any more: what waited for it is said. */
  end(): void {
    for (const text of this.#waiting.splice(0)) printNote(text);
  }

  #announce(): void {
    if (this.#opened === undefined || !this.#isDurable) return;
    this.#whisper(startLine(this.#opened));
    this.end();
  }
}

/** What is in force, in one line. */
function startLine({ thread, settings, restored }: OpenedThread): string {
  const { model, provider, effort, approval, cwd, profile } = settings;
  const policy = describePolicy(
    resolvePolicy(profile, { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [], own: noOwnPlaces }),
    cwd,
  );
  const parts = [
    `capstan ${version}`,
    `thread ${thread.id}`,
    ...(restored === undefined || restored.names.length === 0 ? [] : [restoredWords(restored)]),
    `model ${model} (provider ${provider}${effort === undefined ? '' : `, effort ${effort}`})`,
    `sandbox ${policy.mode}, network ${policy.network}`,
    `approval ${approval}`,
    `in ${shellWords([cwd])}`,
  ];
  return visibleLine(parts.join(' · '));
}

/** What a resumed thread has from its own past. */
function restoredWords({ from, names }: NonNullable<OpenedThread['restored']>): string {
  const where = from === 'settings' ? 'the last change of its settings' : 'its last turn';
  return `from ${where}: ${names.map((name) => settingWord(name)).join(', ')}`;
}
