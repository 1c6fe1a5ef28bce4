import type { InstructionDocument } from '../../envelope/facts.ts';
import { agentsMdFragment } from '../../fragments/sections/agents-md.ts';
import { render } from '../../fragments/text/define.ts';
import { defined } from '../../protocol/defined.ts';
import { isJsonObject, type JsonObject, stringAt } from '../../protocol/json.ts';
import { type Section, unknown } from './section.ts';

interface StoredAgentsMd extends JsonObject {
  readonly directory?: string;
  readonly text?: string;
}

/** The user's and the project's own instructions. A document without text is told as "there are none". */
export const agentsMdSection: Section<InstructionDocument, StoredAgentsMd> = {
  id: 'agents_md',
  assumes: 'the rules of those who run the engine, which come before those of the project',
  kinds: { telling: [agentsMdFragment.id], withdrawing: [agentsMdFragment.withdrawn.id] },

  of: ({ facts }) => facts.instructionDocument,

  stored: ({ directory, text }) => defined({ directory, text }),

  read(stored) {
    if (!isJsonObject(stored)) return undefined;
    const [directory, text] = [stringAt(stored, 'directory'), stringAt(stored, 'text')];
    if (directory !== stored['directory'] || text !== stored['text']) return undefined;
    return defined({ directory, text });
  },

  full: (now) => (now.text === undefined ? [] : [told(now, now.text, false)]),

  /** Of an unknown past something may stand in history: replace it, or take it back. */
  change(before, now) {
    const stood = before === unknown || before.text !== undefined;
    if (now?.text === undefined) return stood ? [render(agentsMdFragment.withdrawn, undefined)] : [];
    if (before !== unknown && before.text === now.text && before.directory === now.directory) return [];
    return [told(now, now.text, stood)];
  },
};

function told({ directory }: InstructionDocument, text: string, replaces: boolean) {
  return render(agentsMdFragment, { ...defined({ directory }), text, replaces });
}
