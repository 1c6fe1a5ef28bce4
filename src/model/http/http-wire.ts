import type { AnswerLimits } from '../../config/defaults.ts';
import type { AnswerReader } from './answer-decoder.ts';
import type { Credentials } from './credentials.ts';

/** What a wire format adds to the transport, which all of them share. */
export interface HttpWire {
  /** What the format is called in advice about base URLs. */
  readonly api: string;
  /** Where steps are posted, below the base URL. */
  readonly endpoint: string;
  /** The headers by which a request says who sends it. */
  identify(credentials: Credentials): Readonly<Record<string, string>>;
  /** For one answer. */
  reader(limits: AnswerLimits): AnswerReader;
}
