import type { EngineParts } from '../engine-parts.ts';
import { QueuedMessages } from '../store/home-store.ts';
import { programVariables } from '../sandbox/user-program-variables.ts';

/** The user's data in a home and on this machine, to show and change it. Each part is loaded on use. */
export class UserHome {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  async logins() {
    return new (await import('./logins.ts')).Logins(this.#parts);
  }

  async mcpServers() {
    return new (await import('./mcp-registry.ts')).McpRegistry(this.#parts);
  }

  async skills() {
    return new (await import('./skill-registry.ts')).SkillRegistry(this.#parts);
  }

  async hooks() {
    return new (await import('./user-hooks.ts')).HookRegistry(this.#parts);
  }

  async memory() {
    const { env, osHome } = this.#parts.options;
    return (await import('../memory/home-memory.ts')).loadHomeMemory(env, osHome);
  }

  async customPrompts() {
    return (await import('./custom-prompts.ts')).customPrompts(`${this.#parts.base.home}/prompts`);
  }

  async rules() {
    return new (await import('./command-rules.ts')).HomeRules(this.#parts);
  }

  async models() {
    return new (await import('../models/home-models.ts')).HomeModels(this.#parts);
  }

  async themeFiles() {
    return (await import('../../adapters/gather/files/theme-files.ts')).themeFiles(this.#parts.base.home);
  }

  async localServers(patienceMs: number) {
    return (await import('../models/local-servers.ts')).findLocalServers(this.#parts, patienceMs);
  }

  async openPromptHistory() {
    return (await import('./custom-prompts.ts')).openPromptHistory(this.#parts);
  }

  /** Messages that wait in the terminal for turns of their own. */
  queuedMessages(): QueuedMessages {
    return new QueuedMessages(this.#parts.base.home);
  }

  async readClipboard() {
    return (await import('./clipboard.ts')).readClipboard(this.#parts);
  }

  async feedClipboard(words: readonly string[], text: string): Promise<boolean> {
    return (await import('./clipboard.ts')).feedClipboard(this.#parts, words, text);
  }

  /** Variables for a user's program that a surface starts outside of the sandbox, such as an editor. */
  programVariables(): Readonly<Record<string, string>> {
    return programVariables(this.#parts);
  }
}
