/** Why and where a checkpoint is made, for people. Files and events have words of their own for it. */

const reasons: Readonly<Record<string, string>> = {
  user_requested: 'you asked for it',
  context_limit: 'the thread reached its limit',
  model_downshift: 'the new model has a smaller window',
  comp_hash_changed: 'the new model cannot read what the previous one wrote',
  context_overflow: 'the provider refused a request as too long',
  unexplained_refusal: 'the provider refused a request without naming a cause',
  provider_changed: 'another provider continues',
};

const phases: Readonly<Record<string, string>> = {
  standalone_turn: 'between two turns',
  pre_turn: 'before a turn',
  mid_turn: 'during a turn',
  post_turn: 'after a turn',
};

/** A file may hold a word that this version does not know. */
export function causeWords({ reason, phase }: { readonly reason: string; readonly phase: string }): string {
  return `${wordsFor(reasons, reason)}, ${wordsFor(phases, phase)}`;
}

function wordsFor(known: Readonly<Record<string, string>>, word: string): string {
  return (Object.hasOwn(known, word) ? known[word] : undefined) ?? word.replaceAll('_', ' ');
}
