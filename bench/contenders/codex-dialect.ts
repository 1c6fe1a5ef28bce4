import { rolloutName, rolloutText } from '../history/rollout.ts';
import { modelName, providerName, type Setting } from './contender.ts';

/** Configuration and thread file of Codex and of Capstan, which are the same. */
export function writeDialectHome({ place, modelUrl, history }: Setting, more: string): void {
  place.write('config.toml', config(modelUrl, more));
  if (history !== undefined) place.write(rolloutName(history.thread), rolloutText(history.thread, history.exchanges));
}

export function turnArguments({ history }: Setting, words: string): readonly string[] {
  return history === undefined ? ['exec', '--json', words] : ['exec', '--json', 'resume', history.thread.id, words];
}

/** The window is as wide as it may be. */
function config(modelUrl: string, more: string): string {
  return `model = "${modelName}"
model_provider = "${providerName}"
model_context_window = 100000000
sandbox_mode = "workspace-write"
approval_policy = "never"
${more}
[model_providers.${providerName}]
name = "${providerName}"
base_url = "${modelUrl}"
wire_api = "responses"
supports_websockets = false
`;
}
