import type { EngineParts } from '../engine-parts.ts';
import { QueuedMessages } from '../store/home-store.ts';
import { programVariables } from '../sandbox/user-program-variables.ts';

/** The user's data in a home and on this machine, to show and change it. Each part is loaded on use. */
export class UserHome {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  logins = async () => new (await import('./logins.ts')).Logins(this.#parts);
  mcpServers = async () => new (await import('./mcp-registry.ts')).McpRegistry(this.#parts);
  skills = async () => (await import('./skill-registry.ts')).skillRegistry(this.#parts);
  hooks = async () => (await import('./user-hooks.ts')).hookRegistry(this.#parts);
  rules = async () => (await import('./command-rules.ts')).homeRules(this.#parts);
  models = async () => new (await import('../models/home-models.ts')).HomeModels(this.#parts);
  customPrompts = async () => (await import('./custom-prompts.ts')).readCustomPrompts(`${this.#parts.home}/prompts`);
  openPromptHistory = async () => (await import('./custom-prompts.ts')).openPromptHistory(this.#parts);
  readClipboard = async () => (await import('./clipboard.ts')).readClipboard(this.#parts);

  async memory() {
    const { env, osHome } = this.#parts.options;
    return (await import('../memory/home-memory.ts')).loadHomeMemory(env, osHome);
  }

  async themeFiles() {
    return (await import('../../adapters/gather/files/theme-files.ts')).themeFiles(this.#parts.home);
  }

  async localServers(patienceMs: number) {
    return (await import('../models/local-servers.ts')).findLocalServers(this.#parts, patienceMs);
  }

  async feedClipboard(words: readonly string[], text: string): Promise<boolean> {
    return (await import('./clipboard.ts')).writeToClipboardProgram(this.#parts, words, text);
  }

  /** Messages that wait in the terminal for turns of their own. */
  queuedMessages(): QueuedMessages {
    return new QueuedMessages(this.#parts.home);
  }

  /** Variables for a user's program that a surface starts outside of the sandbox, such as an editor. */
  programVariables(): Readonly<Record<string, string>> {
    return programVariables(this.#parts);
  }
}
