import { isReviewed } from './is-reviewed.ts';

/**
 * Whether questions are answered at all: by the user where a surface asks (`canAsk`), or by a reviewer. Which of them the
 * approval policy lets be asked is said by `allowsAsking`.
 */
export function canBeAsked({ canAsk }: { readonly canAsk?: true }, chosen: Parameters<typeof isReviewed>[0]): boolean {
  return canAsk === true || isReviewed(chosen);
}
