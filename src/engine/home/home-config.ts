import { withCamelCaseKeys } from '../../core/config/keys/key-kinds.ts';
import { temporaryFolders } from '../../core/policy/paths/special-places.ts';
import { type ConfigLayer, configKeySource } from '../../core/config/layer-order.ts';
import { tuiSchema } from '../../core/config/keys/tui-keys.ts';
import { type TuiSettings, tuiSettings } from '../../core/config/tui-settings.ts';
import {
  stringOption,
  booleanOption,
  jsonObjectOption,
  listOption,
  nonBlankStringOption,
  recordOption,
} from '../../core/envelope/read-options.ts';
import { defined } from '../../base/objects.ts';
import { isJsonObject, type JsonObject, valueAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { LoadedConfig } from './folder-config.ts';
import type { EngineParts } from '../engine-parts.ts';
import { argumentProblem, requireArguments, folderPathOption } from '../check-arguments.ts';
import type { KeymapLine } from './save-keymap.ts';

interface ModelOfThreads {
  readonly provider: string;
  readonly model: string;
  /** Absent: the file's value stays. */
  readonly effort?: string;
}

const modelOfThreads = recordOption<ModelOfThreads>('an object with provider and model', {
  provider: { type: nonBlankStringOption, required: true },
  model: { type: nonBlankStringOption, required: true },
  effort: { type: nonBlankStringOption },
});

/** The global configuration as it was when the engine was loaded, and changes to the user's file. */
export class HomeConfig {
  readonly #parts: Pick<EngineParts, 'base' | 'home' | 'locks' | 'clock' | 'options'>;
  #savedTui: ReturnType<typeof withCamelCaseKeys<(typeof tuiSchema)['keys']>> = {};
  #layers: readonly ConfigLayer[];

  constructor(parts: Pick<EngineParts, 'base' | 'home' | 'locks' | 'clock' | 'options'>) {
    this.#parts = parts;
    this.#layers = parts.base.layers;
  }

  /** True if the configuration names a model or the provider that serves it. */
  get isSetUp(): boolean {
    const { config, requirements } = this.#parts.base;
    return config.origins.has('model_provider') || (config.model ?? requirements.newThread?.model) !== undefined;
  }

  /** The terminal's settings, without those of projects. Faults in them are among the notices. */
  get tui(): TuiSettings {
    const { config } = this.#parts.base;
    return tuiSettings({ ...config, tui: { ...config.tui, ...this.#savedTui } });
  }

  /** Keys of `[tui]` that are set and do nothing here. */
  get unusedTui(): readonly string[] {
    return this.#parts.base.config.unusedTui ?? [];
  }

  sourceOf(path: readonly string[]): string | undefined {
    requireArguments('sourceOf()', { path: [listOption(stringOption, 'a list of names'), path] });
    const layer = this.#layers.findLast(
      (each) => each.disabled === undefined && valueAt(each.values, path) !== undefined,
    );
    return layer && configKeySource(layer, path);
  }

  get writableFolders(): readonly string[] {
    const { base, options } = this.#parts;
    const { sandboxWorkspaceWrite, addedRoots } = base.config;
    return [...temporaryFolders(options.env), ...sandboxWorkspaceWrite.writableRoots, ...addedRoots];
  }

  /** True if a terminal should look for pastes that are not marked as such. */
  get detectsPastes(): boolean {
    return this.#parts.base.config.disablePasteBurst !== true;
  }

  async switchFeature(name: string, open: boolean): Promise<Outcome | undefined> {
    const problem = argumentProblem('switchFeature()', {
      name: [nonBlankStringOption, name],
      open: [booleanOption, open],
    });
    return problem ?? this.#changeUserTable('features', { [name]: open });
  }

  /** Sets keys of `[memories]`, spelled as in the user's config.toml. Returns why it could not. */
  async saveMemories(change: JsonObject): Promise<Outcome | undefined> {
    const problem = argumentProblem('saveMemories()', { change: [jsonObjectOption, change] });
    return problem ?? this.#changeUserTable('memories', change);
  }

  /** Sets keys of `[tui]`, spelled as in the user's config.toml. Returns why it could not. */
  async saveTui(change: JsonObject): Promise<Outcome | undefined> {
    const wrong = argumentProblem('saveTui()', { change: [jsonObjectOption, change] });
    const problem = wrong ?? (await this.#changeUserTable('tui', change));
    if (problem === undefined) this.#savedTui = { ...this.#savedTui, ...withCamelCaseKeys(tuiSchema, change) };
    return problem;
  }

  /** Sets lines of `[tui.keymap]` in the user's file. They hold at once. Returns why it could not. */
  async saveKeymap(lines: readonly KeymapLine[]): Promise<Outcome | undefined> {
    const { saveKeymap } = await import('./save-keymap.ts');
    const saved = await saveKeymap(this.#parts, this.#layers, lines);
    this.#layers = saved.layers;
    this.#savedTui = { ...this.#savedTui, keymap: saved.keymap };
    return saved.problem;
  }

  async #changeUserTable(name: string, change: JsonObject): Promise<Outcome | undefined> {
    const { editUserConfig, userConfigValue } = await import('../../adapters/gather/config/edit-user-config.ts');
    const set = await userConfigValue(this.#parts, [name]);
    return editUserConfig(this.#parts, [name], { ...(isJsonObject(set) ? set : {}), ...change });
  }

  async saveModel(choice: ModelOfThreads): Promise<Outcome | undefined> {
    const problem = argumentProblem('saveModel()', { choice: [modelOfThreads, choice] });
    if (problem !== undefined) return problem;
    const { provider, model, effort } = choice;
    const { editUserKeys } = await import('../../adapters/gather/config/edit-user-config.ts');
    const values = { model, model_provider: provider, ...defined({ model_reasoning_effort: effort }) };
    return editUserKeys(this.#parts, values);
  }

  /** Agrees to Landlock for all later runs. Returns why it could not. */
  async saveSandboxFallback(): Promise<Outcome | undefined> {
    const { editUserKeys } = await import('../../adapters/gather/config/edit-user-config.ts');
    return editUserKeys(this.#parts, { sandbox_fallback: 'landlock' });
  }

  /** Reads a folder's configuration, with the place of each value, from its current files. */
  async inFolder(folder: string): Promise<LoadedConfig | Outcome> {
    const problem = argumentProblem('inFolder()', { folder: [folderPathOption, folder] });
    return problem ?? (await import('./folder-config.ts')).loadFolderConfig(folder, this.#parts.options);
  }
}
