import { fragmentCatalog } from '../catalog.ts';
import { gap, many, toTheEye } from '../text/markup.ts';

/** Tags that other programs or earlier versions put around context, and those inside a checkpoint. */
const furtherNames = [
  'user_instructions',
  'goal_context',
  'codex_internal_context',
  'external_KEY',
  'user_action',
  'user_shell_command',
  'context_window',
  'context_window_guidance',
  'current_time_reminder',
  'git_attribution',
  'image_resize_notice',
  'rollout_budget',
  'token_budget',
  'token_budget_fallback',
  'image name',
  'VERBATIM_REQUEST_START',
  'VERBATIM_REQUEST_END',
  'RECENT_USER_CONTEXT_START',
  'RECENT_USER_CONTEXT_END',
];

let tags: RegExp | undefined;
let heading: RegExp | undefined;

/**
 * Text of a model or a tool that cannot pose as context of ours: tags of fragments are shown with their first character
 * escaped, wherever they stand. Other tags, such as those of code, stay as they are.
 */
export function neutraliseMarkers(text: string): string {
  // The text may have megabytes of anything: no two repetitions may share white space, and no blank may begin a line.
  tags ??= new RegExp(`<(?=${gap}${many}(?:/${gap}${many})?(?:${tagNames().join('|')})(?![\\w-]))`, 'giu');
  heading ??= new RegExp(
    `^((?:(?![\\r\\n\\u2028\\u2029])${gap})${many})#(?=${gap}${many}${toTheEye('AGENTS.md instructions')})`,
    'gimu',
  );
  return text.replace(tags, '&lt;').replace(heading, '$1\\#');
}

/** Of every kind, as a pattern. A part in capitals stands for a name that the payload brings. */
function tagNames(): readonly string[] {
  const ends = fragmentCatalog.flatMap(({ markers }) => markers?.[1] ?? []);
  const names = ends.flatMap((end) => /^<\/(?<name>.+)>$/.exec(end)?.groups?.['name'] ?? []);
  return [...new Set([...names, ...furtherNames])].map((name) => {
    const [, fixed] = /^(.*_)KEY$/.exec(name) ?? [];
    return fixed === undefined ? toTheEye(name) : `${toTheEye(fixed)}[\\w.-]*`;
  });
}
