import { fullText } from '../../../protocol/outcome.ts';
import { type Draft, isShellDraft } from './draft.ts';
import { hasImageName, insertElement, mentionLabel, pathInMessage } from './draft-elements.ts';
import { pastedPath, pathHost, withPicture } from './pasted-text.ts';
import type { DraftServices } from './draft-services.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import { modelTakesNoPictures } from './draft-message.ts';

export interface AttachParts {
  readonly stage: Pick<TuiScreen, 'composer' | 'draw'>;
  notice(text: string, level: 'info' | 'error'): void;
}

/** Ctrl+V: attaches the picture in the clipboard to the draft, or shows the reason why not. */
export async function attachFromClipboard({ stage, notice }: AttachParts, doors: DraftServices): Promise<void> {
  if (!doors.takesPictures) return notice(fullText(modelTakesNoPictures(doors.model)), 'error');
  const found = await doors.clipboard();
  if ('code' in found) return notice(fullText(found), 'error');
  const { composer } = stage;
  if (found.kind === 'picture') composer.draft = withPicture(composer.draft, found.dataUrl);
  for (const named of found.kind === 'files' ? found.paths : []) {
    // The Windows clipboard holds Windows paths.
    const path = /^[A-Za-z]:\\/.test(named) ? (pastedPath(named, pathHost(process.env)) ?? named) : named;
    composer.draft = hasImageName(path) ? withPicture(composer.draft, path) : withPath(composer.draft, path);
  }
  stage.draw();
}

function withPath(draft: Draft, path: string): Draft {
  const range = [draft.cursor, draft.cursor] as const;
  const payload = { kind: 'mention', text: pathInMessage(path), path } as const;
  return insertElement(draft, { range, label: mentionLabel(payload, { isShell: isShellDraft(draft) }), payload });
}
