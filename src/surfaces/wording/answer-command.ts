import { shellWords } from '../../protocol/shell-words.ts';

/** Runs as it stands when the user pastes it: asks what the thread waits for, and continues its turn. */
export function answerCommand(id: string, { approvals = 'ask' }: { readonly approvals?: string } = {}): string {
  return ['capstan exec resume', id, '--approvals', shellWords([approvals])].join(' ');
}
