/** What whoever runs the service decides about this door. */
export type RlsSettings = {
  /** `atomic`: a refusal charges none. `reference`: every descriptor counts, even where it is over. */
  readonly charging: 'atomic' | 'reference';
  /** Weeks, months and years: those of the calendar, or blocks of 7, 30 and 365 days since 1970. */
  readonly calendar: 'honest' | 'reference';
  /** What an answer is when the store has none; `error` leaves it to the gateway. */
  readonly onStoreFailure: 'open' | 'closed' | 'local' | 'error';
  readonly deadlineMs: number;
  /** Nobody is refused; statuses still say who would be. */
  readonly isShadow: boolean;
  /** Every rule refuses only where all of the request would. */
  readonly isQuota: boolean;
  /** Names of the headers for limit, remaining and reset; null sends none. */
  readonly headers: readonly [string, string, string] | null;
  /** Tells the gateway what was asked, and the metadata of the rules that let it pass. */
  readonly hasMetadata: boolean;
};
