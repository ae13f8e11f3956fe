/** Somebody who asks again and again, and where its counter was found. */
export class Regular {
  readonly subject: string;
  readonly tenant: string | undefined;
  /** Who found it, and for which resource. */
  path: object | undefined = undefined;
  resource = '';
  /** Its place among the counters of an engine. */
  cell = 0;
  /** What tells that the place is still its own. */
  owner: object | undefined = undefined;
  /** How many counters had gone by then: while no more have, it is still there. */
  removals = 0;

  constructor(subject: string, tenant: string | undefined) {
    this.subject = subject;
    this.tenant = tenant;
  }
}
