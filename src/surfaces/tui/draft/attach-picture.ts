import { fullText } from '../../../protocol/outcome.ts';
import { hasImageName, insertPath, insertPicture } from './draft-elements.ts';
import { pastedPath, pathHost } from './pasted-text.ts';
import type { DraftServices } from './draft-services.ts';
import type { DraftKeysParts } from './draft-keys.ts';
import { modelTakesNoPictures } from './draft-message.ts';

/** Ctrl+V: attaches the picture in the clipboard to the draft, or shows the reason why not. */
export async function attachFromClipboard({ stage, notice }: DraftKeysParts, doors: DraftServices): Promise<void> {
  if (!doors.takesPictures) return notice(fullText(modelTakesNoPictures(doors.model)), 'error');
  const found = await doors.clipboard();
  if ('code' in found) return notice(fullText(found), 'error');
  const { composer } = stage;
  if (found.kind === 'picture') composer.draft = insertPicture(composer.draft, found.dataUrl);
  for (const named of found.kind === 'files' ? found.paths : []) {
    // The Windows clipboard holds Windows paths.
    const path = /^[A-Za-z]:\\/.test(named) ? (pastedPath(named, pathHost(process.env)) ?? named) : named;
    composer.draft = hasImageName(path) ? insertPicture(composer.draft, path) : insertPath(composer.draft, path);
  }
  stage.draw();
}
