/** Fresh identifiers come in here and nowhere else. */
export interface Ids {
  /** A UUID of version 7, lower case. Later calls sort after earlier ones. */
  uuid(): string;
}
