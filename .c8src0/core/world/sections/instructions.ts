import { defined } from '../../../base/objects.ts';
import { isJsonObject, type JsonObject, stringAt } from '../../../protocol/json.ts';
import type { InstructionDocument } from '../../envelope/facts.ts';
import {
  defineWithdrawableFragment,
  defineReplaceableFragment,
  renderFragment,
} from '../../fragments/text/define-fragment.ts';
import { withoutLineBreaks } from '../../fragments/text/escape-markup.ts';
import { truncateMiddle } from '../../fragments/text/truncate.ts';
import { type Section, textSection, unknownState } from './section.ts';

export interface AgentsMdText {
  readonly directory?: string;
  readonly text: string;
  /** These replace earlier instructions. */
  readonly replaces: boolean;
}

/** The loader cuts the files to their budget first; this cap only guards against an absurd configured budget. */
const capTokens = 20_000;

export const agentsMdFragment = defineWithdrawableFragment<AgentsMdText>({
  id: 'agents-md',
  purpose: "The user's and the project's own instructions.",
  role: 'user',
  markers: ['# AGENTS.md instructions', '</INSTRUCTIONS>'],
  capTokens,
  section: 'agents_md',
  body({ directory, text, replaces }) {
    const place = directory === undefined ? '' : ` for ${shortened(withoutLineBreaks(directory))}`;
    const notice = replaces ? 'These take the place of all AGENTS.md instructions given before.\n\n' : '';
    return `${place}\n\n<INSTRUCTIONS>\n${notice}${text}\n`;
  },
  withdrawn: '\n\n<INSTRUCTIONS>\nThe AGENTS.md instructions given before no longer apply; there are none now.\n',
});

/** The opening tag below the path must survive any cut. */
const shortened = (path: string): string => truncateMiddle(path, { mode: 'bytes', limit: 4096 });
type StoredAgentsMd = JsonObject & { readonly directory?: string; readonly text?: string };

/** The user's and the project's own instructions. An empty document is sent as "there are none". */
export const agentsMdSection: Section<InstructionDocument, StoredAgentsMd> = {
  id: 'agents_md',
  assumes: 'the rules of those who run the engine, which come before those of the project',
  family: agentsMdFragment,
  of: ({ facts }) => facts.instructionDocument,
  stored: ({ directory, text }) => defined({ directory, text }),
  read(stored) {
    if (!isJsonObject(stored)) return undefined;
    const [directory, text] = [stringAt(stored, 'directory'), stringAt(stored, 'text')];
    return directory !== stored['directory'] || text !== stored['text'] ? undefined : defined({ directory, text });
  },
  full: (now) => (now.text === undefined ? [] : [renderAgentsMd(now, now.text, false)]),
  /** After an unknown past, history may contain a text: replace or withdraw it. */
  change(before, now) {
    const stood = before === unknownState || before.text !== undefined;
    if (now?.text === undefined) return stood ? [renderFragment(agentsMdFragment.withdrawn, undefined)] : [];
    if (before !== unknownState && before.text === now.text && before.directory === now.directory) return [];
    return [renderAgentsMd(now, now.text, stood)];
  },
};

const renderAgentsMd = ({ directory }: InstructionDocument, text: string, replaces: boolean) =>
  renderFragment(agentsMdFragment, { ...defined({ directory }), text, replaces });

export const developerInstructionsFragment = defineReplaceableFragment<{ readonly text: string }>({
  id: 'developer-instructions',
  purpose: 'Instructions that the configuration or the client gives for a thread.',
  capTokens: 10_000,
  section: 'capstan.developer_instructions',
  notice: 'These take the place of the developer instructions given before.',
  body: ({ text }) => `${text}\n`,
  withdrawn: '\nThe developer instructions given before no longer hold; there are none now.\n',
});

export const developerInstructionsSection = textSection<{ readonly text: string }>({
  assumes: 'the contract of the sections before it, which it may narrow and not widen',
  kind: developerInstructionsFragment,
  of: ({ envelope: { instructions } }) =>
    instructions.developer === undefined ? undefined : { text: instructions.developer },
});

/** The loader refuses a text that does not fit, because cut rules are other rules. */
export const managedInstructionsFragment = defineReplaceableFragment<{ readonly text: string }>({
  id: 'managed-instructions',
  purpose: 'Instructions from the administrator of this machine.',
  markers: ['<managed_developer_instructions>', '</managed_developer_instructions>'],
  capTokens: 10_000,
  separate: true,
  section: 'managed_developer_instructions',
  notice: 'These take the place of the managed instructions given before.',
  body: ({ text }) => `${text}\n`,
  withdrawn: '\nThe managed instructions given before no longer hold; there are none now.\n',
});

/** Last among the developer messages, so that none can follow and overrule it. */
export const managedInstructionsSection = textSection<{ readonly text: string }>({
  assumes: 'everything that developers said before it',
  kind: managedInstructionsFragment,
  of: ({ envelope: { instructions } }) =>
    instructions.managed === undefined ? undefined : { text: instructions.managed },
});

export const sessionContextFragment = defineReplaceableFragment<{ readonly texts: readonly string[] }>({
  id: 'session-context',
  purpose: 'Output of the hooks that ran when the thread was opened.',
  capTokens: 5000,
  section: 'capstan.session_context',
  notice: 'This takes the place of the session context given before.',
  body: ({ texts }) => `${texts.join('\n\n')}\n`,
  withdrawn: '\nThe session context given before no longer holds; there is none now.\n',
});

/** Words of hooks when the thread was opened. */
export const sessionContextSection = textSection<{ readonly texts: readonly string[] }>({
  assumes: 'the tools and skills that hooks may speak of',
  kind: sessionContextFragment,
  of: ({ facts: { sessionContext: texts = [] } }) => (texts.length === 0 ? undefined : { texts }),
});

/** First instructions of every model, unless a thread chose its own text. */
export const baseInstructions = (): string => text;

const text = `You are Capstan, a coding agent. You work in the user's folder, on the user's machine, through the tools you are offered.

# How to work

- Find out before you act. Read the files that matter, run the program, look at what the tests say. Do not guess at what a look would tell you.
- Do what was asked, wholly, and nothing else. When the request leaves something open, choose what a careful engineer on this project would choose, and say so in your answer.
- Change as little as the task needs. Keep the style of the code around you. Do not reformat, rename or tidy what the task does not touch.
- Check your work. When there are tests, run the ones that cover your change; when there are none, run the program. If you could not check something, say so.
- Go on until the task is done. Stop early only when you need something that only the user can give.
- A message without a tool call ends your turn. While there is more to do, call a tool.

# Commands

- Prefer fast and quiet commands: \`rg\` over \`grep\`, and options that limit output.
- A command that takes long runs on as a session: do other work, and read it later with write_stdin. Set \`timeout_ms\` where it must not run on.
- Never run a command that destroys work which is not yours to destroy, such as discarding changes that the user made. If the task seems to need it, ask.
- Do not commit, push or publish unless you were asked to.

# Permissions

Messages between <permissions instructions> tags say what the sandbox allows now. They are facts, not wishes: a command that goes beyond them fails. The newest such message holds. The same goes for <environment_context>, which says where and when you work.

# Project instructions

Messages that begin with "# AGENTS.md instructions" come from the project or the user. The folder they name is the one you work in; they may be from it or from folders above it. Follow them for everything you do in this project. What the user says directly comes before them; the rules above come before both.

# Answers

Answer in the user's language. Say first what you did and what came of it, then what the user should know or decide. Name files by path. Be short: no praise, no restating of the request, no long quotes of code that the user can open.
`;
