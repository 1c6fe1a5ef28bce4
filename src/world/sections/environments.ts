import { type Environment, environmentOf } from '../../envelope/environment.ts';
import { render } from '../../fragments/text/define.ts';
import { environmentFragment, type EnvironmentText } from '../../fragments/sections/environment.ts';
import { equalJson, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { type Section, unknown } from './section.ts';

/** The first three keys are shared with other programs; what they do not have stands under `capstan`. */
interface StoredEnvironments extends JsonObject {
  readonly environments: {
    readonly local: { readonly cwd: string; readonly status: 'available'; readonly shell: string };
  };
  readonly current_date: string;
  readonly timezone: string;
  readonly capstan: Limits & JsonObject;
}

type Limits = Omit<Environment, 'cwd' | 'shell' | 'date' | 'timezone' | 'reopenedPaths'> & {
  /** Absent where there are none, and in files of earlier versions, which told of none. */
  readonly reopenedPaths?: readonly string[];
};

/** Where and when the model works, and within which limits. A change tells what differs and nothing else. */
export const environmentsSection: Section<Environment, StoredEnvironments> = {
  id: 'environments',
  assumes: 'everything else: it is the ground under all of it',
  kinds: { telling: [environmentFragment.id], withdrawing: [environmentFragment.withdrawn.id] },

  of: ({ envelope, facts }) =>
    envelope.modes.leaveOut.includes('environment') ? undefined : environmentOf(envelope, facts),

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
    render(
      environmentFragment,
      only(now, (value) => !Array.isArray(value) || value.length > 0),
    ),
  ],

  change(before, now) {
    if (now === undefined) return [render(environmentFragment.withdrawn, undefined)];
    const told = before === unknown ? undefined : readEnvironment(before);
    // Of an unknown past anything may stand, also in lists that are empty now.
    if (told === undefined) return [render(environmentFragment, now)];
    const news = only(now, (value, key) => !equalJson(value, told[key]));
    return Object.keys(news).length === 0 ? [] : [render(environmentFragment, news)];
  },
};

function only(
  environment: Environment,
  isTold: (value: string | readonly string[], key: keyof Environment) => boolean,
): EnvironmentText {
  const told = Object.entries(environment).filter(([key, value]) => isTold(value, key as keyof Environment));
  return Object.fromEntries(told) as EnvironmentText;
}

const ownKeys: ReadonlySet<string> = new Set(['environments', 'current_date', 'timezone', 'capstan']);
const words = ['approvalPolicy', 'sandboxMode', 'networkAccess'] as const;
const lists = ['writableRoots', 'workspaceRoots', 'deniedPaths', 'allowedDomains', 'deniedDomains'] as const;

/**
 * Undefined for several environments, for values that we never tell (another program told the model about its file
 * system or network here) and where our part is missing: then only the full form is safe.
 */
function readEnvironment(stored: Json): Environment | undefined {
  if (!isJsonObject(stored) || Object.keys(stored).some((key) => !ownKeys.has(key))) return undefined;
  const environments = objectAt(stored, 'environments');
  const local = environments === undefined ? undefined : objectAt(environments, 'local');
  const limits = objectAt(stored, 'capstan');
  if (environments === undefined || local === undefined || limits === undefined) return undefined;
  if (Object.keys(environments).length !== 1) return undefined;
  const [cwd, shell] = [stringAt(local, 'cwd'), stringAt(local, 'shell')];
  const [date, timezone] = [stringAt(stored, 'current_date'), stringAt(stored, 'timezone')];
  if (cwd === undefined || shell === undefined || date === undefined || timezone === undefined) return undefined;
  if (!words.every((key) => typeof limits[key] === 'string')) return undefined;
  const { reopenedPaths = [] } = limits;
  if (!lists.every((key) => isStrings(limits[key])) || !isStrings(reopenedPaths)) return undefined;
  return { cwd, shell, date, timezone, reopenedPaths: [], ...(limits as unknown as Limits) };
}

function isStrings(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every((member) => typeof member === 'string');
}
