/** Notes when calls may change files, so that a change can be attributed to the call that made it. */
export interface ChangeWatch {
  /** A call that may change files in the folder begins now, until `end` is called. Never throws; takes microseconds. */
  begin(root: string): CallWatch;
}

/** A call that runs. */
export interface CallWatch {
  end(): CallTime;
}

/**
 * The time of a call, by the clock that stamps files: whatever the call changed bears a time within, both ends
 * included. Milliseconds since the Unix epoch.
 */
export interface CallTime {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** Names that vanished from the folder meanwhile. Undefined: the folder is too large to be listed twice per call. */
  readonly gone: readonly string[] | undefined;
}

/** What a call did to files, as exactly as its tool knows it. */
export type Touched =
  /** Anything that changed in this time may be its work. */
  | { readonly kind: 'time'; readonly time: CallTime }
  /** These paths and no others. Its own time, if it was noted, is there for other threads. */
  | { readonly kind: 'paths'; readonly paths: readonly TouchedPath[]; readonly timeId?: string };

export interface TouchedPath {
  /** Absolute, without links. */
  readonly path: string;
  /** What the call found there; absent when it did not look. */
  readonly found?: Content;
  /**
   * Since when it had been so, by the clock that stamps files. Where nothing was found: when names last came or went in
   * the lowest folder on the way. Absent when that is not known.
   */
  readonly foundSince?: number;
  readonly left: Content;
  /** The content came from there: absolute, without links. */
  readonly movedFrom?: string;
}

/** The SHA-256 of a file's bytes in hexadecimal, or what else stands there. */
export type Content = { readonly sha256: string } | 'nothing' | 'folder' | 'something';
