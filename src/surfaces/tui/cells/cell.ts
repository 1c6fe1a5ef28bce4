import type { Look } from '../text/look.ts';
export interface Cell { rows(look: Look): readonly string[] }
