import { ifAllDefined } from '../../../base/objects.ts';
import { equalJson, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import { type TurnEnvironment, resolveEnvironment } from '../../envelope/environment.ts';
import { defineWithdrawableFragment, renderFragment } from '../../fragments/text/define-fragment.ts';
import { escapeMarkup } from '../../fragments/text/escape-markup.ts';
import { boundedList } from '../../fragments/text/truncate.ts';
import { type Section, unknownState } from './section.ts';

/** An absent member is not mentioned; an empty list is. */
type EnvironmentText = Partial<TurnEnvironment>;

export const environmentFragment = defineWithdrawableFragment<EnvironmentText>({
  id: 'environment',
  purpose: 'The folder, the date and the limits that the model works with; only what changed.',
  role: 'user',
  markers: ['<environment_context>', '</environment_context>'],
  capTokens: 4000,
  section: 'environments',
  matches: (text) => /^\s*<environment_context(?:\s[^>]*)?>[\s\S]*<\/environment_context>\s*$/i.test(text),
  body(told) {
    const lines = [
      ...field('cwd', told.cwd),
      ...field('shell', told.shell),
      ...field('current_date', told.date),
      ...field('timezone', told.timezone),
      ...field('approval_policy', told.approvalPolicy),
      ...field('sandbox_mode', told.sandboxMode),
      ...field('network_access', told.networkAccess),
      ...list('writable_roots', 'root', told.writableRoots),
      ...list('workspace_roots', 'root', told.workspaceRoots),
      ...list('denied_paths', 'path', told.deniedPaths),
      ...list('reopened_paths', 'path', told.reopenedPaths),
      ...list('allowed_domains', 'domain', told.allowedDomains),
      ...list('denied_domains', 'domain', told.deniedDomains),
    ];
    return `\n${lines.map((line) => `  ${line}\n`).join('')}`;
  },
  withdrawn: '\n  <withdrawn />\n',
});

const field = (tag: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`<${tag}>${escapeMarkup(value)}</${tag}>`];

/** An empty list is sent too: otherwise the last entry could never be removed. */
function list(tag: string, entryTag: string, values: readonly string[] | undefined): readonly string[] {
  if (values === undefined) return [];
  if (values.length === 0) return [`<${tag} />`];
  const { kept, left } = boundedList(
    values.flatMap((value) => field(entryTag, value)),
    { count: 100, characters: 2000 },
  );
  return [`<${tag}>${kept.join('')}${left === 0 ? '' : `<omitted count="${left}" />`}</${tag}>`];
}

/** The first three keys are shared with other programs; others are under `capstan`. */
interface StoredEnvironments extends JsonObject {
  readonly environments: {
    readonly local: { readonly cwd: string; readonly status: 'available'; readonly shell: string };
  };
  readonly current_date: string;
  readonly timezone: string;
  readonly capstan: Limits & JsonObject;
}

type Limits = Omit<TurnEnvironment, 'cwd' | 'shell' | 'date' | 'timezone' | 'reopenedPaths'> & {
  /** Absent if there are none, and in files of earlier versions, which sent none. */
  readonly reopenedPaths?: readonly string[];
};

/** The model's place, time and limits. A change sends only differences. */
export const environmentsSection: Section<TurnEnvironment, StoredEnvironments> = {
  id: 'environments',
  assumes: 'everything else: it is the ground under all of it',
  family: environmentFragment,
  of: ({ envelope, facts }) =>
    envelope.modes.leaveOut.includes('environment') ? undefined : resolveEnvironment(envelope, facts),
  stored({ cwd, shell, date, timezone, reopenedPaths, ...limits }) {
    return {
      environments: { local: { cwd, status: 'available', shell } },
      current_date: date,
      timezone,
      capstan: { ...limits, ...(reopenedPaths.length === 0 ? {} : { reopenedPaths }) },
    };
  },
  read(stored) {
    const fact = readEnvironment(stored);
    return fact === undefined ? undefined : environmentsSection.stored(fact);
  },
  full: (now) => [
    renderFragment(
      environmentFragment,
      only(now, (value) => !Array.isArray(value) || value.length > 0),
    ),
  ],
  change(before, now) {
    if (now === undefined) return [renderFragment(environmentFragment.withdrawn, undefined)];
    const told = before === unknownState ? undefined : readEnvironment(before);
    // An unknown past may contain anything, also in lists that are empty now.
    if (told === undefined) return [renderFragment(environmentFragment, now)];
    const news = only(now, (value, key) => !equalJson(value, told[key]));
    return Object.keys(news).length === 0 ? [] : [renderFragment(environmentFragment, news)];
  },
};

function only(
  environment: TurnEnvironment,
  isTold: (value: string | readonly string[], key: keyof TurnEnvironment) => boolean,
): EnvironmentText {
  const told = Object.entries(environment).filter(([key, value]) => isTold(value, key as keyof TurnEnvironment));
  return Object.fromEntries(told) as EnvironmentText;
}

const ownKeys: ReadonlySet<string> = new Set(['environments', 'current_date', 'timezone', 'capstan']);
const words = ['approvalPolicy', 'sandboxMode', 'networkAccess'] as const;
const lists = ['writableRoots', 'workspaceRoots', 'deniedPaths', 'allowedDomains', 'deniedDomains'] as const;

/** Undefined for several environments, foreign values, or without our part: then only the full form is safe. */
function readEnvironment(stored: Json): TurnEnvironment | undefined {
  if (!isJsonObject(stored) || Object.keys(stored).some((key) => !ownKeys.has(key))) return undefined;
  const environments = objectAt(stored, 'environments');
  const local = objectAt(environments, 'local');
  const limits = objectAt(stored, 'capstan');
  if (limits === undefined || Object.keys(environments ?? {}).length !== 1) return undefined;
  const [cwd, shell] = [stringAt(local, 'cwd'), stringAt(local, 'shell')];
  const [date, timezone] = [stringAt(stored, 'current_date'), stringAt(stored, 'timezone')];
  const place = ifAllDefined({ cwd, shell, date, timezone });
  if (place === undefined || !words.every((key) => typeof limits[key] === 'string')) return undefined;
  const { reopenedPaths = [] } = limits;
  if (!lists.every((key) => isStrings(limits[key])) || !isStrings(reopenedPaths)) return undefined;
  return { ...place, reopenedPaths: [], ...(limits as unknown as Limits) };
}

const isStrings = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every((member) => typeof member === 'string');

export const environmentsGuidanceFragment = defineWithdrawableFragment<void>({
  id: 'environments-guidance',
  purpose: 'How to work with several environments.',
  markers: ['<environments_instructions>', '</environments_instructions>'],
  capTokens: 400,
  section: 'environments_instructions',
  body: () => `
An environment is a machine or container with a folder of its own in which commands run. Name the one that a command is meant for; without a name the primary one is used.
- An environment whose status is "starting" cannot be used yet. Wait for it only when the task needs it.
- One that is "unavailable" is gone: do not use it.
`,
  withdrawn: '\nThere is only one environment now; what was said about choosing one no longer holds.\n',
});
