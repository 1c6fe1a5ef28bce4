const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** How large the files may be that the engine reads for itself. Larger ones are refused; docs/sandbox.md lists them. */
export const readLimits = {
  /** A layer of the configuration, requirements, `.env`. */
  configBytes: mebibyte,
  loginBytes: mebibyte,
  /** A file that replaces the instructions of a model or the prompt of a compaction. */
  instructionsBytes: mebibyte,
  catalogueBytes: 16 * mebibyte,
  /** HEAD, a ref, a `.git` file that points elsewhere. */
  gitPointerBytes: 4 * kibibyte,
  gitConfigBytes: 256 * kibibyte,
  gitIndexBytes: 32 * mebibyte,
  packedRefsBytes: 16 * mebibyte,
  timezoneBytes: mebibyte,
  /** A theme of the terminal. */
  themeBytes: 64 * kibibyte,
} as const;
