import { editUserConfig, userConfigValue } from '../../gather/config/edit-user-config.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type ConfiguredHook, type ConfiguredHooks, loadConfiguredHooks } from './configured-hooks.ts';
import type { EngineParts } from './engine-parts.ts';

/** The hooks of a user, to show them, to trust them, and to switch them on and off. */
export class HookRegistry {
  readonly #engine: EngineParts;

  constructor(engine: EngineParts) {
    this.#engine = engine;
  }

  /** As the files say now. */
  list(folder: string): Promise<ConfiguredHooks | Outcome> {
    return loadConfiguredHooks(folder, this.#engine.options);
  }

  /** Those that run in this engine. What the user decided since it was loaded counts for the next one. */
  async running(folder: string): Promise<readonly ConfiguredHook[]> {
    const [{ hooksInForce }, { mayRun }] = await Promise.all([
      import('./idle-hooks.ts'),
      import('../../hooks/load-hooks.ts'),
    ]);
    return (await hooksInForce(this.#engine, folder)).filter(mayRun);
  }

  /** Saves in the user's config.toml whether a hook runs. The trust in it stays. Gives why it could not. */
  async switch({ key }: Pick<ConfiguredHook, 'key'>, isOn: boolean): Promise<Outcome | undefined> {
    const { base, locks, clock } = this.#engine;
    const place = { home: base.home, locks, clock };
    const path = ['hooks', 'state', key];
    const set = await userConfigValue(place, path);
    const { enabled: _before, ...kept } = isJsonObject(set) ? set : {};
    const next = isOn ? kept : { ...kept, enabled: false };
    return editUserConfig(place, path, Object.keys(next).length === 0 ? undefined : next);
  }
}
