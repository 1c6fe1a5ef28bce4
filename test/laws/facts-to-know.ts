import { allowsAsking, approvalName, type QuestionTopic } from '../../src/core/policy/decide/approval-policy.ts';
import { resolveEnvironment } from '../../src/core/envelope/environment.ts';
import { modeGuidance } from '../../src/core/world/sections/modes.ts';
import { describePolicy, networkWord } from '../../src/core/policy/profiles/describe-policy.ts';
import type { OmittedContext } from '../../src/core/envelope/settings.ts';
import { defined } from '../../src/base/objects.ts';
import type { NetworkLists } from '../../src/protocol/permissions.ts';
import type { EnteredStep } from '../harness/watched-thread.ts';
import type { WorldFacts } from './world-reader.ts';

/** The facts that the model of a step must know when it is asked, as the envelope has them. */
export function factsToKnow(step: EnteredStep): WorldFacts {
  const { envelope, facts } = step;
  const { instructions, capabilities, modes } = envelope;
  const isTold = (name: OmittedContext): boolean => !modes.leaveOut.includes(name);
  const { directory, text } = facts.instructionDocument;
  const { mode, instructions: guidance = modeGuidance(mode) } = modes.collaboration;
  return {
    ...(isTold('permissions') ? { permissions: permissionsOf(envelope) } : {}),
    ...(isTold('collaboration-mode') && guidance !== '' ? { mode: { name: mode, text: guidance } } : {}),
    ...(modes.realtime.active ? { realtime: true } : {}),
    ...(modes.personality === undefined ? {} : { personality: modes.personality }),
    ...(instructions.developer === undefined ? {} : { developer: instructions.developer }),
    ...(capabilities.apps && isTold('apps') ? { apps: true } : {}),
    ...(capabilities.plugins ? { plugins: true } : {}),
    ...deferredToKnow(facts),
    ...serversToKnow(facts),
    ...(isTold('skills') ? skillsToKnow(step.skills()) : {}),
    ...(facts.memory === undefined ? {} : { memory: facts.memory.summary }),
    ...(facts.sessionContext === undefined || facts.sessionContext.length === 0
      ? {}
      : { session: facts.sessionContext.join('\n\n') }),
    ...(instructions.managed === undefined ? {} : { managed: instructions.managed }),
    ...(text === undefined ? {} : { instructions: { ...(directory === undefined ? {} : { directory }), text } }),
    ...(facts.pins === undefined || facts.pins.length === 0 ? {} : { pinned: facts.pins.map((pin) => pin.text) }),
    environment: isTold('environment') ? environmentTags(envelope, facts) : {},
  };
}

function deferredToKnow({ deferredTools = [] }: EnteredStep['facts']): Pick<WorldFacts, 'deferred'> {
  if (deferredTools.length === 0) return {};
  const shown = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return { deferred: Object.fromEntries(deferredTools.map(({ name, description }) => [name, shown(description)])) };
}

/** The whole texts: the worlds have one server that speaks and one that is spoken of. */
function serversToKnow({ mcpServers }: EnteredStep['facts']): Pick<WorldFacts, 'mcpInstructions' | 'mcpServers'> {
  const { notes: [note] = [], instructions: [own] = [] } = mcpServers ?? {};
  const opening = 'What MCP servers say about the use of their tools. The user and the developer count more.';
  const shown = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return {
    ...(own === undefined ? {} : { mcpInstructions: `${opening}\n===== ${own.server}\n${shown(own.text)}` }),
    ...(note === undefined
      ? {}
      : {
          mcpServers: `- ${note.problem} Its tools fail until it runs. Capstan tries to start it with every turn, and a call shows whether it runs.`,
        }),
  };
}

function skillsToKnow(catalogue: ReturnType<EnteredStep['skills']>): Pick<WorldFacts, 'skills'> {
  if (catalogue === undefined) return {};
  const { roots, skills, left } = catalogue;
  const whole = (path: string): string => {
    const root = roots.find(({ alias }) => path.startsWith(`${alias}/`));
    return root === undefined ? path : root.path + path.slice(root.alias.length);
  };
  const listed = skills.map(({ name, description, path }) => [name, { description, path: whole(path) }] as const);
  return { skills: { listed: Object.fromEntries(listed), left } };
}

/** The guidance that must hold for the model that acts: its own, unless one was chosen for all. */
export function guidanceToHold({ envelope: { identity, instructions } }: EnteredStep): string {
  const { base } = instructions;
  const own = identity.model.instructions;
  return base.provenance.type === 'custom' || own === '' ? base.text : own;
}

function permissionsOf({ policy, workspace }: EnteredStep['envelope']): WorldFacts['permissions'] & object {
  const { approvedPrefixes } = policy;
  const each = (values: readonly string[]): readonly string[] => [...new Set(values)].toSorted();
  const { lists, ...described } = describePolicy(policy.resolved, workspace.cwd);
  const asks = (about: QuestionTopic): boolean => policy.canAsk === true && allowsAsking(policy.approval, about);
  const ruled = (decision: string): readonly string[] =>
    policy.rules.prefixes.flatMap((rule) => (rule.decision === decision ? [JSON.stringify(rule.pattern)] : []));
  const isAsked = asks('rules');
  return {
    ...described,
    ...(lists === undefined ? {} : { lists: listsToKnow(lists, asks) }),
    // The worlds have no answers.
    grants: [],
    grantedHosts: [],
    network: networkWord({ ...described, ...defined({ lists }) }),
    approval: approvalName(policy.approval),
    prefixes: each(approvedPrefixes.map((prefix) => JSON.stringify(prefix))),
    refused: each([...ruled('forbidden'), ...(isAsked ? [] : ruled('prompt'))]),
    asked: isAsked ? each(ruled('prompt')) : [],
  };
}

/** A question that reaches no one is a no. */
function listsToKnow({ allow, deny, ask = [], local, methods }: NetworkLists, asks: (about: QuestionTopic) => boolean) {
  const [asked, denied] = asks('rules') ? [ask, deny] : [[], [...deny, ...ask]];
  // Beside all hosts there are no others.
  const asksAboutOthers = !allow.includes('*') && asks('sandbox');
  return { allow, deny: denied, asked, asksAboutOthers, local, methods };
}

const tags: Readonly<Record<string, string>> = { date: 'current_date' };

function environmentTags(envelope: EnteredStep['envelope'], facts: EnteredStep['facts']): WorldFacts['environment'] {
  const tagOf = (name: string): string =>
    tags[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(
    Object.entries(resolveEnvironment(envelope, facts)).flatMap(([name, value]) =>
      value.length === 0 ? [] : [[tagOf(name), value as string | readonly string[]]],
    ),
  );
}
