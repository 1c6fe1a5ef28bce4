import {
  abortSignalOption,
  uncheckedOption,
  jsonObjectOption,
  functionOption,
  nonBlankStringOption,
  validateOptions,
} from '../../core/envelope/read-options.ts';
import type { OptionReaders, OptionType } from '../../core/envelope/read-options.ts';
import {
  changeToReviewText,
  noReviewFindings,
  parseReviewFindings,
  reviewRubric,
  reviewText,
} from '../../core/fragments/code-review.ts';
import { contextMessageItem } from '../../core/fragments/message-items.ts';
import {
  failedReviewTexts,
  reviewContext,
  interruptedReviewTexts,
  userActionFragment,
} from '../../core/fragments/events/user-actions.ts';
import { renderFragment } from '../../core/fragments/text/define-fragment.ts';
import { estimateTokens } from '../../core/fragments/text/truncate.ts';
import { fitDiff } from '../../core/planes/fit-roles.ts';
import { occasionalBudget } from '../../core/envelope/window.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { readOnlyProfile } from '../../core/policy/profiles/narrower-profile.ts';
import type { CodeReview, KeptReview, ReviewTarget, ThreadEvent } from '../../protocol/thread-event.ts';
import type { Item } from '../../protocol/item.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Usage } from '../../protocol/usage.ts';
import { writtenBy } from '../../protocol/user-input.ts';
import { findChangesToReview } from './changes-to-review.ts';
import type { EngineParts } from '../engine-parts.ts';
import { type EngineRefused, engineRefused } from '../engine-refused.ts';
import type { Engine } from '../engine.ts';

export interface ReviewCode {
  readonly target: ReviewTarget;
  /** The thread that reads the findings with its next turn. The review works in its folder. */
  readonly parent: ReviewParent;
  readonly signal: AbortSignal;
  /** Overrides `review_model` and the model of the thread. */
  readonly model?: string;
  /** Called with the reviewer's settings before it begins. */
  readonly opened?: (settings: Settings) => void;
  readonly listener?: (event: ThreadEvent) => void;
  /** Called with the id of the result before the thread records it. */
  readonly recordedAs?: (id: string) => void;
}

const reviewOptions = {
  target: { type: targetOption(), required: true },
  parent: { type: uncheckedOption('a thread'), required: true },
  signal: { type: abortSignalOption, required: true },
  model: { type: nonBlankStringOption },
  opened: { type: functionOption() },
  listener: { type: functionOption() },
  recordedAs: { type: functionOption() },
} as const satisfies OptionReaders<ReviewCode>;

function targetOption(): OptionType<ReviewTarget> {
  const texts = new Map<unknown, readonly string[]>(
    Object.entries({ uncommitted: [], base: ['branch'], commit: ['commit', 'title'], words: ['words'] }),
  );
  return {
    expected:
      'one of { kind: "uncommitted" }, { kind: "base", branch }, { kind: "commit", commit }, { kind: "words", words }',
    read(given) {
      const { kind, ...rest } = (jsonObjectOption.read(given) ?? {}) as JsonObject;
      const known = texts.get(kind) ?? ['none'];
      const isKnown = Object.keys(rest).every((key) => known.includes(key) && typeof rest[key] === 'string');
      const isWhole = known[0] === undefined || typeof rest[known[0]] === 'string';
      return isKnown && isWhole ? ({ kind, ...rest } as ReviewTarget) : undefined;
    },
  };
}

interface ReviewParent {
  readonly settings: Settings;
  inject(item: Item, options: { readonly cost?: Usage; readonly review?: KeptReview }): Promise<unknown>;
}

/** `text`: the review as people and its parent read it. */
export type ReviewedCode =
  | { readonly kind: 'reviewed'; readonly review: CodeReview; readonly text: string }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly outcome: Outcome };

/** The reviewer reads, runs commands that change nothing, and has the read-only tools of servers. */
const onlyTools = [
  'exec_command',
  'view_image',
  'mcp__*',
  'list_mcp_resources',
  'list_mcp_resource_templates',
  'read_mcp_resource',
];

/** Reviews code in a thread of its own, read-only and without questions. Only the findings are kept. */
export async function reviewCode(
  engine: Pick<Engine, 'start' | 'openSandbox'>,
  { base, clock, ids }: EngineParts,
  given: ReviewCode,
): Promise<ReviewedCode | EngineRefused> {
  const asked = validateOptions<ReviewCode>(given, reviewOptions, 'review()');
  if ('code' in asked) return engineRefused(asked);
  const { target, parent, signal, listener } = asked;
  if (target.kind === 'words' && target.words.trim() === '') return engineRefused(noWords);
  const { cwd, model: current, provider, sandbox: chosen } = parent.settings;
  const profile = readOnlyProfile(chosen);
  const sandbox = await engine.openSandbox({ cwd, permissions: { profile } });
  if ('code' in sandbox) return engineRefused(sandbox);
  const changes = await findChangesToReview(sandbox, target);
  if ('code' in changes) return engineRefused(changes);
  const opened = await engine.start({
    cwd,
    model: asked.model ?? base.config.reviewModel ?? current,
    config: [
      { path: ['instructions'], value: reviewRubric },
      { path: ['developer_instructions'], value: '' },
      // This provider has the thread's model, and the thread's code was sent to it before.
      { path: ['model_provider'], value: provider },
      // The turn is not the user's: its words are a diff.
      { path: ['notify'], value: [] },
      // A review judges the change, not what the user said elsewhere.
      { path: ['features', 'memories'], value: false },
    ],
    heldApprovals: 'never',
    sandbox: profile,
    changesNothing: true,
    onlyTools,
    ephemeral: true,
    threadSource: 'review',
    compactsAfterTurns: false,
    listener,
  });
  if (opened.kind === 'refused') return opened;
  const { thread } = opened;
  try {
    asked.opened?.(thread.settings);
    const diff = fitDiff(changes.diff, occasionalBudget('reviewedDiff', thread.usage.effectiveWindow), estimateTokens);
    const isEmpty = diff.text === '' && diff.leftOut.length === 0;
    const message = changeToReviewText({ target, mergeBase: changes.mergeBase, diff: isEmpty ? undefined : diff });
    const since = clock.now();
    const ended = await thread.run({ input: writtenBy('program', message), signal });
    /** Tells the parent that the user asked for a review, and the result. The review's cost counts as the parent's. */
    const recorded = async (end: KeptReview['end'], told: { readonly context: string; readonly results: string }) => {
      const review = { target, durationMs: clock.now() - since, end };
      const { role, text } = renderFragment(userActionFragment, { action: 'review', ...told });
      const id = `msg_${ids.uuid()}`;
      asked.recordedAs?.(id);
      await parent.inject(contextMessageItem(id, role, [text]), { review, cost: thread.state.usage.total });
    };
    if (ended.kind === 'failed') {
      await recorded({ kind: 'failed', outcome: ended.outcome }, failedReviewTexts(ended.outcome.message));
      return { kind: 'failed', outcome: ended.outcome };
    }
    if (ended.kind !== 'completed') {
      await recorded({ kind: 'aborted' }, interruptedReviewTexts);
      return { kind: 'aborted' };
    }
    const review = parseReviewFindings(ended.lastMessage ?? noReviewFindings);
    const said = reviewText(review);
    await recorded({ kind: 'reviewed', review }, { context: reviewContext, results: said });
    return { kind: 'reviewed', review, text: said };
  } finally {
    await thread.close();
  }
}

const noWords: Outcome = {
  code: 'review-without-words',
  message: 'The review has no words that say what to review.',
  next: 'Say it in words, or review the uncommitted changes, a branch or a commit.',
};
