import { fragmentCatalog } from './catalog.ts';
import { normaliseVisibleText, unseenSpace, boundedRepeat } from '../fragments/text/escape-markup.ts';

/** Context tags of other programs or earlier versions, and those inside a checkpoint. */
const furtherNames = (
  'user_instructions, goal_context, codex_internal_context, external_KEY, user_action, user_shell_command, ' +
  'context_window, context_window_guidance, current_time_reminder, git_attribution, image_resize_notice, ' +
  'rollout_budget, token_budget, token_budget_fallback, image name, VERBATIM_REQUEST_START, VERBATIM_REQUEST_END, ' +
  'RECENT_USER_CONTEXT_START, RECENT_USER_CONTEXT_END'
).split(', ');

let signs: { readonly tag: RegExp; readonly name: RegExp; readonly heading: RegExp } | undefined;

/** Escapes fragment tags in foreign text, so that it cannot imitate our context. Other tags stay. */
export function escapeFragmentMarkers(text: string): string {
  const { tag, name, heading } = (signs ??= makeSigns());
  return text
    .replace(tag, (sign, behind: string) => (name.test(normaliseVisibleText(behind)) ? '&lt;' : sign))
    .replace(heading, (sign, blanks: string, behind: string) =>
      /^AGENTS\.md instructions/i.test(normaliseVisibleText(behind)) ? `${blanks}\\#` : sign,
    );
}

/**
 * The text may contain megabytes of anything: no two repetitions may share white space, and no line may begin with a
 * blank. Names are compared separately: with everything that may hide in them they would take a third of a second to
 * compile.
 */
function makeSigns(): NonNullable<typeof signs> {
  const words = `([A-Za-z](?:[\\w.-]|${unseenSpace})${boundedRepeat})`;
  return {
    tag: new RegExp(`<(?=${unseenSpace}${boundedRepeat}(?:/${unseenSpace}${boundedRepeat})?${words})`, 'gu'),
    name: new RegExp(`^(?:${tagNames().join('|')})(?![\\w-])`, 'i'),
    heading: new RegExp(
      `^((?:(?![\\r\\n\\u2028\\u2029])${unseenSpace})${boundedRepeat})#(?=${unseenSpace}${boundedRepeat}${words})`,
      'gmu',
    ),
  };
}

/** Tags of every kind, as a pattern. A part in capitals represents a name from the payload. */
function tagNames(): readonly string[] {
  const ends = fragmentCatalog.flatMap(({ markers }) => markers?.[1] ?? []);
  const names = ends.flatMap((end) => /^<\/(?<name>.+)>$/.exec(end)?.groups?.['name'] ?? []);
  return [...new Set([...names, ...furtherNames])].map((name) => name.replace(/_KEY$/, '_[\\w.-]*'));
}
