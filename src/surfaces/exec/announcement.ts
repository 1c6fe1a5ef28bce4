import { describePolicy } from '../../policy/describe-policy.ts';
import { resolvePolicy } from '../../policy/resolve-policy.ts';
import { version } from '../../protocol/version.ts';
import type { OpenedThread } from '../engine/open-thread.ts';
import { settingWord } from '../wording/setting-word.ts';
import { printNote } from '../terminal/print.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { noOwnPlaces } from '../../policy/own-places.ts';
import { shellWords } from '../../protocol/shell-words.ts';

export type Announcement = ReturnType<typeof createAnnouncement>;

/** Says what is in force as soon as the thread is open and durable: the line names it, and a name must lead somewhere. */
export function createAnnouncement(whisper: (text: string) => void) {
  let shown: OpenedThread | undefined;
  let isDurable = false;
  const waiting: string[] = [];
  /** Nothing is announced any more: what waited for it is said. */
  const end = (): void => waiting.splice(0).forEach((text) => printNote(text));
  const announce = (): void => {
    if (shown === undefined || !isDurable) return;
    whisper(startLine(shown));
    end();
  };
  return {
    /** The id of the thread, once it was shown. */
    threadId: (): string | undefined => (isDurable ? shown?.thread.id : undefined),
    opened(thread: OpenedThread): void {
      shown = thread;
      announce();
    },
    /** The thread's first lines are durable. */
    started(): void {
      isDurable = true;
      announce();
    },
    /** Says something about the run; after the announcement, if one is still to come. */
    notice(text: string): void {
      if (shown === undefined || isDurable) printNote(text);
      else waiting.push(text);
    },
    end,
  };
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
