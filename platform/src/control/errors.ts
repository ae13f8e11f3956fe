/** What can stand in the way of a change besides bad input. A door says it in its own words. */

/** There is no such object; or there is, and the actor may not know. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
  readonly noun: string;

  /** The advice is for who may have looked in the wrong place. */
  constructor(noun: string, advice: string | null = null) {
    const nothing = `there is no ${noun} with this id`;
    super(advice === null ? nothing : `${nothing}: ${advice}`);
    this.noun = noun;
  }
}

/** The object was changed since the actor looked. */
export class VersionConflict extends Error {
  override readonly name = 'VersionConflict';
  readonly current: number;

  constructor(noun: string, current: number) {
    super(`this ${noun} is at version ${current} now; read it again and repeat the change`);
    this.current = current;
  }
}

/** Another object is in the way. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  readonly field: string | null;

  constructor(detail: string, field: string | null = null) {
    super(detail);
    this.field = field;
  }
}

/** The actor is known, and may not do this. */
export class Forbidden extends Error {
  override readonly name = 'Forbidden';
}
